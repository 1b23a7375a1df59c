import { Workers } from "../engine/workers.ts";
import type { Cell, Row } from "./cell.ts";
import type { SharesOptions } from "./options.ts";

/** The fleets that the options ask for, in the order of the table. */
export function cellsOf({ members, demands, sharings, seconds, seed }: SharesOptions): Cell[] {
  return members.flatMap((size) =>
    demands.flatMap((demand) => sharings.map((shares) => ({ members: size, demand, shares, seconds, seed }))),
  );
}

/** Runs them over worker processes, telling of each that is done. */
export async function runTable(options: SharesOptions, say: (line: string) => void): Promise<Row[]> {
  const cells = cellsOf(options);
  const workers = new Workers<Cell, Row>(Math.min(options.jobs, cells.length), new URL("./worker.ts", import.meta.url));
  let done = 0;
  try {
    return await Promise.all(
      cells.map(async (cell) => {
        const row = await workers.run(cell, nameOf(cell));
        done += 1;
        say(`${done} of ${cells.length}: ${nameOf(cell)}: ${(100 * row.reached).toFixed(1)} %`);
        return row;
      }),
    );
  } finally {
    workers.close();
  }
}

function nameOf({ members, demand, shares }: Cell): string {
  return `${members} members, ${demand}, ${shares}`;
}

/** What came of them, for a terminal. */
export function asText(rows: readonly Row[]): string {
  const lines = rows.map(({ members, demand, shares, ...measures }) => [
    String(members),
    demand,
    shares,
    `${(100 * measures.reached).toFixed(1)} %`,
    measures.jain.toFixed(3),
    measures.syncsPerMemberSecond.toFixed(2),
    measures.shareChangesPerMemberMinute.toFixed(1),
    measures.lightMedianWaitMs === null ? "" : `${measures.lightMedianWaitMs} / ${measures.lightP99WaitMs}`,
    measures.fullestEpoch.toFixed(2),
  ]);
  const head = [
    "members",
    "demand",
    "shares",
    "reached",
    "Jain",
    "syncs/s",
    "changes/min",
    "light wait ms",
    "fullest epoch",
  ];
  const widths = head.map((title, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? 0), title.length),
  );
  const text = [head, ...lines].map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join("  ")
      .trimEnd(),
  );
  return `${text.join("\n")}\n`;
}
