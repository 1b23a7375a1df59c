import { expect, it } from "vitest";
import { HELP, type Options, parseOptions } from "../../src/permits/options.ts";
import { stores } from "../../src/permits/stores/index.ts";

it("without options every store is run with 20 processes, 2,000 permits, and no faults", () => {
  const { stores: chosen, settings, faults } = parseOptions([]) as Options;
  expect(chosen).toEqual(stores);
  expect(faults).toBe(false);
  expect(settings).toEqual({ processes: 20, permits: 2_000, everyMs: 20, maxReserved: 10, callers: 2 });
  expect(parseOptions(["--faults", "--store", "redis"])).toMatchObject({ faults: true, stores: [{ name: "redis" }] });
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
  expect(parseOptions(["--help"])).toBe("help");
  for (const { name } of stores) expect(HELP).toContain(name);
  for (const option of ["store", "processes", "permits", "every", "max-reserved", "callers", "faults", "json"])
    expect(HELP).toContain(`\n  --${option} `);
});
