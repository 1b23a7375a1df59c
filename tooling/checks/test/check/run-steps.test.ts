import { describe, expect, it } from "vitest";
import { type Console, runSteps } from "../../src/check/run-steps.ts";
import type { Step } from "../../src/check/step.ts";
import { isSuccess, lastLine, none, oneFailed, onePassed, type Totals } from "../../src/check/totals.ts";

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
    write: (text) => lines.push(text),
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
    expect(console.lines.slice(0, 2)).toEqual(["--- a\n", "--- a: ok in 3.0 s\n"]);
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

describe("steps at the same time", () => {
  /** A step that says that it runs, and ends when the test says so. */
  function held(name: string, order: Pick<Step, "needs" | "after"> = {}) {
    let end = (_: Totals): void => {};
    const ended = new Promise<Totals>((resolve) => {
      end = resolve;
    });
    let hasBegun = false;
    const run: Step["run"] = (write) => {
      hasBegun = true;
      write(`${name} runs\n`);
      return ended;
    };
    const step: Step = { name, ...order, run };
    return { step, hasBegun: () => hasBegun, end: (result: Totals = onePassed) => end(result) };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it("show the first that runs as it goes, and each one's text in one piece, in the order of the list", async () => {
    const console = recorder();
    const [a, b, c] = [held("a"), held("b"), held("c")];
    const run = runSteps([a.step, b.step, c.step], console);
    await settled();
    expect(console.lines).toEqual(["--- a\n", "a runs\n"]);
    c.end();
    await settled();
    expect(console.lines).toHaveLength(2);
    a.end();
    await settled();
    expect(console.lines.slice(2)).toEqual([expect.stringMatching(/^--- a: ok/), "--- b\n", "b runs\n"]);
    b.end();
    await run;
    expect(console.lines.slice(5)).toEqual([
      expect.stringMatching(/^--- b: ok/),
      "--- c\n",
      "c runs\n",
      expect.stringMatching(/^--- c: ok/),
    ]);
  });

  it("begin when those that they come after have ended, whatever these came to", async () => {
    const console = recorder();
    const [build, tests] = [held("build"), held("tests", { after: ["build"] })];
    const run = runSteps([build.step, tests.step], console);
    await settled();
    expect([build.hasBegun(), tests.hasBegun()]).toEqual([true, false]);
    build.end(oneFailed);
    await settled();
    expect(tests.hasBegun()).toBe(true);
    tests.end();
    expect(await run).toEqual({ totals: { passed: 1, failed: 1, skipped: 0 }, firstFailed: "build" });
  });

  it("cannot wait for one that stands after them", async () => {
    await expect(runSteps([step("a", onePassed, "b"), step("b", onePassed)], recorder())).rejects.toThrow(
      "a waits for b, which must stand before it",
    );
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
