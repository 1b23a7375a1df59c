import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { expect, it } from "vitest";
import { folder, linesOf } from "../support/folder.ts";

const SCRIPT = new URL("../support/crashing-run.ts", import.meta.url);
const RECORDS = 3_000;
const WINDOW = 100;
const CONCURRENCY = 8;

/** Runs until so many calls were made, and is killed there; or until the end. Gives the calls that were made. */
async function run(path: string, until: number): Promise<number[]> {
  const called: number[] = [];
  let reached = (): void => {};
  const enough = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const child = new SourceProcess(SCRIPT, [path, String(RECORDS), String(WINDOW)], (line) => {
    const [word, number] = line.split(" ");
    if (word === "called") called.push(Number(number));
    if (called.length === until) reached();
  });
  await (until === Number.POSITIVE_INFINITY ? child.finished() : enough);
  await child.kill();
  return called;
}

it("a run that is killed twice and resumed loses nothing, and repeats no more than the window and what was under way", async () => {
  const here = await folder();
  const calls = [await run(here, 700), await run(here, 900), await run(here, Number.POSITIVE_INFINITY)];
  const output = (await linesOf(join(here, "ok.jsonl"))).map(Number);
  expect(new Set(output).size).toBe(RECORDS);

  // Record 0 is slow, and ended in no run but the last: what ended behind it is not done again for its sake.
  for (const [first, second] of [
    [0, 1],
    [1, 2],
  ] as const) {
    const before = new Set(calls[first]);
    const again = calls
      .slice(second)
      .flat()
      .filter((n) => before.has(n));
    expect(again.length).toBeLessThanOrEqual(WINDOW + CONCURRENCY);
  }
  const written = new Map<number, number>();
  for (const n of output) written.set(n, (written.get(n) ?? 0) + 1);
  const repeated = [...written.values()].filter((times) => times > 1).length;
  expect(repeated).toBeLessThanOrEqual(2 * (WINDOW + CONCURRENCY));
  expect(JSON.parse(JSON.parse(await readFile(join(here, "run.checkpoint"), "utf8")).body)).toMatchObject({
    position: { records: RECORDS },
    pending: [],
  });
});
