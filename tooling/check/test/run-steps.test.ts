import { describe, expect, it } from "vitest";
import { type Console, runSteps } from "../src/run-steps.ts";
import type { Step } from "../src/step.ts";
import { isSuccess, lastLine, none, oneFailed, onePassed, type Totals } from "../src/totals.ts";

const step = (name: string, result: Totals, needs?: string): Step => ({
  name,
  ...(needs === undefined ? {} : { needs }),
  run: async () => result,
});

function recorder(isStopped = () => false): Console & { readonly lines: string[] } {
  const lines: string[] = [];
  let nowMs = 0;
  return {
    lines,
    isStopped,
    print: (line) => lines.push(line),
    now: () => {
      nowMs += 1500;
      return nowMs;
    },
  };
}

describe("a run", () => {
  it("adds up its steps and says how long each took", async () => {
    const console = recorder();
    const outcome = await runSteps([step("a", onePassed), step("b", { passed: 3, failed: 0, skipped: 2 })], console);
    expect(outcome).toEqual({ totals: { passed: 4, failed: 0, skipped: 2 }, firstFailed: undefined });
    expect(console.lines).toEqual(["--- a", "--- a: ok in 1.5 s", "--- b", "--- b: ok in 1.5 s"]);
  });

  it("goes on after a failure and names the first", async () => {
    const outcome = await runSteps(
      [step("a", onePassed), step("b", oneFailed), step("c", oneFailed), step("d", onePassed)],
      recorder(),
    );
    expect(outcome).toEqual({ totals: { passed: 2, failed: 2, skipped: 0 }, firstFailed: "b" });
  });

  it("counts a step that throws as failed, and shows why", async () => {
    const console = recorder();
    const broken: Step = { name: "a", run: () => Promise.reject(new Error("it broke")) };
    const outcome = await runSteps([broken], console);
    expect(outcome).toEqual({ totals: oneFailed, firstFailed: "a" });
    expect(console.lines[1]).toContain("it broke");
  });

  it("counts a step in which nothing ran as failed", async () => {
    const outcome = await runSteps([step("a", { passed: 0, failed: 0, skipped: 5 })], recorder());
    expect(outcome).toEqual({ totals: { passed: 0, failed: 1, skipped: 5 }, firstFailed: "a" });
  });

  it("skips what needs a step that failed", async () => {
    const outcome = await runSteps([step("build", oneFailed), step("smoke", onePassed, "build")], recorder());
    expect(outcome.totals).toEqual({ passed: 0, failed: 1, skipped: 1 });
  });

  it("starts nothing more once it is stopped", async () => {
    const outcome = await runSteps(
      [step("a", onePassed)],
      recorder(() => true),
    );
    expect(outcome.totals).toEqual({ passed: 0, failed: 0, skipped: 1 });
  });
});

describe("the last line", () => {
  it("has one fixed form", () => {
    expect(lastLine({ passed: 12, failed: 0, skipped: 3 })).toBe("12 passed, 0 failed, 3 skipped");
  });

  it("is a success only when something passed and nothing failed", () => {
    expect(isSuccess(onePassed)).toBe(true);
    expect(isSuccess(none)).toBe(false);
    expect(isSuccess({ passed: 5, failed: 1, skipped: 0 })).toBe(false);
  });
});
