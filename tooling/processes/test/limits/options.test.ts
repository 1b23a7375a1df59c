import { describe, expect, it } from "vitest";
import { HELP, parseOptions } from "../../src/limits/options.ts";

describe("the options of npm run limits", () => {
  it("has defaults for all of them: 30 processes, six of each kind", () => {
    const options = parseOptions([]);
    expect(options).toMatchObject({
      json: false,
      settings: { kinds: ["throttle", "semaphore", "pacer", "budget", "keyed"], ofEach: 6, callers: 6, stayMs: 5_000 },
    });
  });

  it.each([
    [["--store", "mysql"], "mysql is none of sqlite, redis, postgres"],
    [["--kind", "guard"], "guard is none of throttle"],
    [["--processes", "4"], "give a whole number >= 5"],
    [["--stay", "soon"], "give a whole number >= 100"],
    [["--what"], "--what"],
  ])("refuses %j", (args, message) => {
    expect(parseOptions(args)).toContain(message);
  });

  it("knows --help, which names every option", () => {
    expect(parseOptions(["--help"])).toBe("help");
    for (const name of ["store", "kind", "processes", "callers", "stay", "json"]) expect(HELP).toContain(`--${name} `);
  });
});
