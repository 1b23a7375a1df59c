import { describe, expect, it } from "vitest";
import { HELP, parseOptions } from "../../src/in-flight/options.ts";

describe("the options of npm run in-flight", () => {
  it("has defaults for all of them", () => {
    const options = parseOptions([]);
    expect(options).toMatchObject({ json: false, settings: { processes: 20, max: 10, staleAfterMs: 10_000 } });
    expect(typeof options === "object" && options.stores.map(({ name }) => name)).toEqual([
      "sqlite",
      "redis",
      "postgres",
    ]);
  });

  it("reads them, and shows its help", () => {
    expect(parseOptions(["--store", "redis", "--max", "5", "--json"])).toMatchObject({
      json: true,
      settings: { max: 5 },
    });
    expect(parseOptions(["--help"])).toBe("help");
    for (const option of ["--store", "--processes", "--max", "--stale-after", "--hold", "--json"])
      expect(HELP).toContain(option);
  });

  it.each([
    [["--store", "mysql"], /--store is mysql; there are sqlite, redis, postgres/],
    [["--max", "1"], /--max is 1; give a whole number >= 2/],
    [["--stale-after", "5s"], /--stale-after is 5s/],
    [["--mx", "1"], /--mx/],
  ])("refuses %j", (args, message) => {
    expect(parseOptions(args)).toMatch(message);
  });
});
