import { describe, expect, it } from "vitest";
import { parseCommand, UsageError } from "../src/command-line.ts";

const known = ["hot-path", "sync"];
const parse = (...args: string[]) => parseCommand(args, known, (name) => (name === "sync" ? ["redis", "sqlite"] : []));

describe("the command line", () => {
  it("lists the benchmarks when none is named, or when asked for help", () => {
    expect(parse()).toEqual({ type: "list" });
    expect(parse("--help")).toEqual({ type: "list" });
    expect(parse("hot-path", "-h")).toEqual({ type: "list" });
  });

  it("names a benchmark and how to run it", () => {
    expect(parse("sync", "--json", "--rounds", "3")).toEqual({
      type: "run",
      benchmark: "sync",
      json: true,
      save: false,
      quick: false,
      rounds: 3,
      only: undefined,
    });
  });

  it("names one part of a benchmark that has parts", () => {
    expect(parse("sync", "--only", "redis")).toMatchObject({ benchmark: "sync", only: "redis" });
  });

  it.each([
    [["snyc"], /no benchmark "snyc"; there are: hot-path, sync/],
    [["--json"], /no benchmark is named/],
    [["sync", "hot-path"], /not also "hot-path"/],
    [["sync", "--rounds", "0"], /--rounds is "0"; give a whole number/],
    [["sync", "--fast"], /--fast/],
    [["sync", "--only", "mysql"], /--only is "mysql"; sync has: redis, sqlite/],
    [["hot-path", "--only", "redis"], /hot-path has no parts/],
    [["sync", "--quick", "--save"], /mean nothing/],
  ])("refuses %j with a remedy", (args, message) => {
    expect(() => parse(...args)).toThrow(UsageError);
    expect(() => parse(...args)).toThrow(message);
  });
});
