import { describe, expect, it } from "vitest";
import { parseOptions, UsageError } from "../../src/conformance/options.ts";

const names = ["redis (RESP2)", "redis (Cluster)", "sqlite"];

describe("the command line", () => {
  it("runs everything when nothing is said", () => {
    expect(parseOptions([], names)).toEqual({ json: false, help: false, only: [] });
  });

  it("chooses targets by a part of their name, in any case, several times", () => {
    const { only, json } = parseOptions(["--only", "Redis", "--only", "sqlite", "--json"], names);
    expect({ only, json }).toEqual({ only: ["Redis", "sqlite"], json: true });
  });

  it.each([
    [
      ["--only", "mysql"],
      "--only mysql: no target has this in its name; there are: redis (RESP2), redis (Cluster), sqlite",
    ],
    [["--jsno"], "Unknown option '--jsno'"],
    [["redis"], "Unexpected argument 'redis'"],
  ])("%j is refused", (args, message) => {
    expect(() => parseOptions(args, names)).toThrow(UsageError);
    expect(() => parseOptions(args, names)).toThrow(message);
  });
});
