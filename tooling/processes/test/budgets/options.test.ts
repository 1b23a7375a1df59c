import { describe, expect, it } from "vitest";
import { HELP, parseOptions } from "../../src/budgets/options.ts";

describe("the options of npm run budgets", () => {
  it("has defaults for all of them", () => {
    const options = parseOptions([]);
    expect(options).toMatchObject({
      json: false,
      settings: { processes: 6, holdMs: 300, quota: { requests: 300, tokens: 25_000, windowMs: 10_000 } },
    });
    expect(typeof options === "object" && options.stores.map(({ name }) => name)).toEqual([
      "sqlite",
      "redis",
      "postgres",
    ]);
  });

  it("reads them, and shows its help", () => {
    expect(parseOptions(["--store", "redis", "--window", "5000", "--json"])).toMatchObject({
      json: true,
      settings: { quota: { windowMs: 5_000 } },
    });
    expect(parseOptions(["--help"])).toBe("help");
    for (const option of ["--store", "--processes", "--window", "--hold", "--json"]) expect(HELP).toContain(option);
  });

  it.each([
    [["--store", "memory"], /--store is memory; there are sqlite, redis, postgres, etcd, dynamodb/],
    [["--processes", "1"], /--processes is 1; give a whole number >= 2/],
    [["--window", "5s"], /--window is 5s/],
    [["--windw", "1"], /--windw/],
  ])("refuses %j", (args, message) => {
    expect(parseOptions(args)).toMatch(message);
  });
});
