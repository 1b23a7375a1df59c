import { describe, expect, it } from "vitest";
import { parseCommand, UsageError } from "../src/command-line.ts";

const known = ["hot-path", "sync"];
const parse = (...args: string[]) => parseCommand(args, known);

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
    });
  });

  it.each([
    [["snyc"], /no benchmark "snyc"; there are: hot-path, sync/],
    [["--json"], /no benchmark is named/],
    [["sync", "hot-path"], /not also "hot-path"/],
    [["sync", "--rounds", "0"], /--rounds is "0"; give a whole number/],
    [["sync", "--fast"], /--fast/],
    [["sync", "--quick", "--save"], /mean nothing/],
  ])("refuses %j with a remedy", (args, message) => {
    expect(() => parse(...args)).toThrow(UsageError);
    expect(() => parse(...args)).toThrow(message);
  });
});
