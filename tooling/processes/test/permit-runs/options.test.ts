import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { HELP, type Options, parseOptions } from "../../src/permit-runs/options.ts";
import { committedRecords, pageWith } from "../../src/permit-runs/record.ts";
import { stores } from "../../src/permit-runs/stores/index.ts";

it("without options every store is run with 20 processes, 2,000 permits", () => {
  const { stores: chosen, settings } = parseOptions([]) as Options;
  expect(chosen).toEqual(stores);
  expect(settings).toEqual({ processes: 20, permits: 2_000, everyMs: 20, maxReserved: 10, callers: 2 });
});

it.each([
  [["--store", "mysql"], /--store is mysql; there are sqlite/],
  [["--processes", "0"], /--processes is 0; give a whole number >= 1/],
  [["--every", "x"], /--every is x; give a number >= 0.001/],
  [["--what"], /--what/],
])("%j is refused with what is wrong", (args, problem) => {
  expect(parseOptions(args as string[])).toMatch(problem);
});

it("--help names every store and every option", () => {
  for (const { name } of stores) expect(HELP).toContain(name);
  for (const option of ["store", "processes", "permits", "every", "max-reserved", "callers", "json", "save"])
    expect(HELP).toContain(`\n  --${option} `);
});

it("the page in docs says what the committed results say", () => {
  const page = readFileSync(new URL("../../../../docs/permits.md", import.meta.url), "utf8");
  expect(pageWith(page, committedRecords())).toBe(page);
  expect(committedRecords().flatMap(({ result }) => result.violations)).toEqual([]);
});
