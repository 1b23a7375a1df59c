import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type ModeOption } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

interface Row {
  readonly epoch: number;
  /** Undefined where the design leaves the cell empty. */
  readonly tokenPool: number | undefined;
  /** Undefined in an epoch without a call. */
  readonly tokensUsed: number | undefined;
}

const MODES: Readonly<Record<string, ModeOption>> = {
  SCHEDULED: "scheduled",
  RELAXED: "relaxed",
  ONLY_IF_USED: { type: "onlyIfUsed", threshold: 100 },
  GO_BACK_N: { type: "goBackN", threshold: 100 },
};

const document = readFileSync(new URL("./numaflow-tables.md", import.meta.url), "utf8");
const tables = document
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [title = "", ...lines] = section.split("\n");
    return {
      title: title.trim(),
      rows: lines
        .filter((line) => line.startsWith("|"))
        .slice(2)
        .map(parseRow),
    };
  });

it("has the seven tables of the design, 154 rows in all", () => {
  expect(tables.map(({ title, rows }) => [title, rows.length])).toEqual([
    ["SCHEDULED", 20],
    ["SCHEDULED with gaps", 24],
    ["RELAXED", 20],
    ["RELAXED with gaps", 24],
    ["ONLY_IF_USED", 20],
    ["GO_BACK_N", 20],
    ["GO_BACK_N with gaps", 26],
  ]);
});

describe.each(tables)("$title", ({ title, rows }) => {
  it("goes through the design's table, row by row, both columns", async () => {
    const runtime = new VirtualRuntime();
    const throttle = createThrottle({
      name: title,
      min: 10,
      max: 110,
      rampUp: "10s",
      interval: "1s",
      mode: MODES[title.split(" ")[0] as string] as ModeOption,
      store: new MemoryStore({ runtime }),
      runtime,
    });
    await throttle.start();
    await runtime.advance(1_000);

    const seen: Row[] = [];
    for (const row of rows) {
      const { epoch, tokensUsed } = row;
      const tokenPool = throttle.status().level;
      const granted = tokensUsed === undefined ? undefined : throttle.tryAcquireUpTo(tokensUsed);
      // What status() promises is what can be had: not a token more than the pool.
      const rest =
        granted === undefined || tokenPool <= granted ? undefined : throttle.tryAcquireGrant(tokenPool - granted);
      if (granted !== undefined) {
        expect(rest?.tokens ?? 0).toBe(tokenPool - granted);
        expect(throttle.tryAcquireUpTo(1_000)).toBe(0);
      }
      rest?.deposit(rest.tokens);
      seen.push({ epoch, tokenPool: row.tokenPool === undefined ? undefined : tokenPool, tokensUsed: granted });
      await runtime.advance(1_000);
    }
    expect(seen).toEqual(rows);
    await throttle.stop();
  });
});

function parseRow(line: string, index: number): Row {
  const cells = line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
  const [pool = "", used = ""] = cells.slice(-2);
  return {
    epoch: cells.length === 3 ? Number(cells[0]) : index + 1,
    tokenPool: numberIn(pool),
    tokensUsed: numberIn(used),
  };
}

function numberIn(cell: string): number | undefined {
  return cell === "" ? undefined : Number(cell);
}
