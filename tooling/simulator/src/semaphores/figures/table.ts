import { Workers } from "../../fleet/engine/workers.ts";
import { type Cell, type Row, SEMAPHORES } from "./cell.ts";
import { type Compared, isJudged, type Means } from "./compare.ts";
import { LOADS } from "./loads.ts";
import type { FiguresOptions } from "./options.ts";

/** The fleets that the options ask for, in the order of the table. */
export function cellsOf({ parts, systems, seeds }: FiguresOptions): Cell[] {
  return parts.flatMap(({ groups, setting }) =>
    LOADS.filter(({ group }) => groups.includes(group)).flatMap(({ name: load, kills, costs }) =>
      systems
        .filter((system) => (!kills && !costs) || SEMAPHORES.includes(system))
        .flatMap((system) => seeds.map((seed) => ({ load, system, seed, ...setting }))),
    ),
  );
}

/** Runs them over worker processes, telling of each that is done. */
export async function runTable(options: FiguresOptions, say: (line: string) => void): Promise<Row[]> {
  const cells = cellsOf(options);
  const workers = new Workers<Cell, Row>(Math.min(options.jobs, cells.length), new URL("./worker.ts", import.meta.url));
  let done = 0;
  try {
    return await Promise.all(
      cells.map(async (cell) => {
        const name = `${cell.load}, ${cell.system}, seed ${cell.seed}`;
        const row = await workers.run(cell, name);
        done += 1;
        say(`${done} of ${cells.length}: ${name}`);
        return row;
      }),
    );
  } finally {
    workers.close();
  }
}

const COLUMNS: readonly (readonly [title: string, figure: keyof Means, digits: number])[] = [
  ["use %", "use", 1],
  ["commands/slot", "commandsPerSlot", 3],
  ["a second", "commandsPerSecond", 0],
  ["wait p50", "waitP50Ms", 0],
  ["p99", "waitP99Ms", 0],
  ["most", "waitMostMs", 0],
  ["light p50", "lightP50Ms", 1],
  ["p99", "lightP99Ms", 1],
  ["hand p50", "handP50Ms", 1],
  ["p99", "handP99Ms", 1],
  ["Jain", "jain", 3],
  ["back", "backMs", 0],
];

/** What came of them, for a terminal: our row, and under it the prototype's. */
export function asText(compared: readonly Compared[]): string {
  const lines = [["load", "system", "", ...COLUMNS.map(([title]) => title), "holds"]];
  for (const { load, system, rttMs, lost, turnMs, ours, prototype, short } of compared) {
    const setting = [
      rttMs === 1 ? "" : ` RTT ${rttMs}`,
      lost === 0 ? "" : ` lost ${lost}`,
      turnMs === 100 ? "" : ` turn ${turnMs}`,
    ];
    const holds =
      prototype === null || !isJudged(load, system) ? "" : short.length === 0 ? "yes" : `NO: ${short.join(", ")}`;
    lines.push([`${load}${setting.join("")}`, system, "ours", ...cells(ours), holds]);
    if (prototype) lines.push(["", "", "prototype", ...cells(prototype), ""]);
  }
  const widths = (lines[0] as string[]).map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  return `${lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] as number))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")}\n`;
}

function cells(means: Means): string[] {
  return COLUMNS.map(([, figure, digits]) => {
    const value = means[figure];
    if (value === null || value === undefined || Number.isNaN(value)) return "";
    return (figure === "use" ? 100 * value : value).toFixed(digits);
  });
}
