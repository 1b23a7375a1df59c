import type { ConformanceReport } from "@dt/conformance";
import { describe, expect, test } from "vitest";
import { dt } from "./support/cli.ts";
import { memoryTarget, targetFile } from "./support/target-file.ts";

/** A store that counts the leavers in: nobody's farewell frees anything (R12). */
const DEAF = "class Deaf extends MemoryStore { async deregister() {} }";
const DEAF_STORE = "createStore: () => new Deaf(),";

describe("dt conformance", () => {
  test("passes a store that keeps the contract, and says what was skipped and why", async () => {
    const { code, stdout, stderr } = await dt("conformance", targetFile(memoryTarget()));
    expect(stdout).toMatch(/memory: passed\n\d\d+ passed, 0 failed, \d+ skipped in [\d.]+ s \(seed 1\)\n$/);
    expect(stdout).toContain('the target has no fault "pause":\n    while the server is paused');
    expect(stderr).toMatch(/^passed {2}R7 {2}.+ \(\d+ ms\)$/m);
    expect(code).toBe(0);
  });

  test("names the rule that a broken store breaks, with the history that shows it", async () => {
    const { code, stdout, stderr } = await dt("conformance", targetFile(memoryTarget(DEAF_STORE, DEAF)), "R12");
    expect(stdout).toMatch(/^FAILED R12: .*\n\n {2}breaks R12 \(farewell: deregister removes at once/m);
    expect(stdout).toMatch(/ store 1: deregister g1 \(.+\) -> done$/m);
    expect(stdout).toMatch(/memory: breaks R12/);
    expect(stderr).toMatch(/^FAILED {2}R12 .+ \(breaks R12\)$/m);
    expect(code).toBe(1);
  });

  test("--json prints the report and nothing else on standard output, whatever the store prints", async () => {
    const noise = 'console.log("a line of the target file");';
    const file = targetFile(memoryTarget(DEAF_STORE, DEAF + noise));
    const { code, stdout, stderr } = await dt("conformance", file, "R12", "--json");
    const report = JSON.parse(stdout) as ConformanceReport;
    expect(stdout).toBe(`${JSON.stringify(report)}\n`);
    expect(report).toMatchObject({ target: "memory", seed: 1, failed: report.failures.length });
    expect(report.failures.map(({ rule }) => rule)).toContain("R12");
    expect(report.failures[0]?.history.length).toBeGreaterThan(0);
    expect(stderr).toContain("a line of the target file");
    expect(code).toBe(1);
  });

  test.each([
    ["R1", /^R1$/],
    ["stale age", /./],
    ["/^R(2|14) /", /^R(2|14)$/],
  ])("the filter %s chooses cases", async (filter, rules) => {
    const { code, stderr } = await dt("conformance", targetFile(memoryTarget()), filter, "--concurrency", "16");
    const ran = [...stderr.matchAll(/^(?:passed|skipped|FAILED) +([RP]\d+) +(.+) \(/gm)];
    expect(ran.length).toBeGreaterThan(0);
    expect(ran.length).toBeLessThan(40);
    expect(stderr).toContain(`memory: ${ran.length} cases`);
    for (const [, rule = "", name] of ran) {
      expect(rule).toMatch(rules);
      if (!filter.startsWith("R") && !filter.startsWith("/")) expect(name).toContain(filter);
    }
    expect(code).toBe(0);
  });

  test("--seed decides the random schedules, and the report repeats it", async () => {
    const watched = memoryTarget(
      "runtime: { ...systemRuntime, setTimer(call, delayMs, options) { console.error('wait ' + delayMs); return systemRuntime.setTimer(call, delayMs, options); } },",
      'import { systemRuntime } from "@dt/core";',
    );
    const firstWaits = async (seed: string): Promise<readonly string[]> => {
      const { stdout, stderr } = await dt(
        "conformance",
        targetFile(watched),
        "under random joins",
        "--seed",
        seed,
        "--json",
      );
      expect((JSON.parse(stdout) as ConformanceReport).seed).toBe(Number(seed));
      return (stderr.match(/^wait \d+\.\d+$/gm) ?? []).slice(0, 5);
    };
    const waits = await firstWaits("7");
    expect(waits).toHaveLength(5);
    expect(await firstWaits("7")).toEqual(waits);
    expect(await firstWaits("8")).not.toEqual(waits);
  });

  test("when no case that was chosen can run, nothing is passed", async () => {
    const { code, stdout } = await dt("conformance", targetFile(memoryTarget()), "/^R16 while the server is paused/");
    expect(stdout).toContain("memory: not checked: no case could run\n0 passed, 0 failed, 1 skipped");
    expect(code).toBe(1);
  });
});
