import { describe, expect, it } from "vitest";
import { benchmarks } from "../src/registry.ts";
import { runBench } from "./run-bench.ts";

describe("the bench command", () => {
  it("without arguments lists every benchmark with a line of its own", async () => {
    const { stdout } = await runBench();
    const lines = stdout.split("\n");
    for (const { name, summary } of benchmarks)
      expect(lines.filter((line) => line.includes(name) && line.includes(summary))).toHaveLength(1);
  });

  it("says on stderr what is wrong with its arguments, and prints nothing", async () => {
    await expect(runBench("snyc")).rejects.toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/no benchmark "snyc"; there are: hot-path/),
    });
  });
});
