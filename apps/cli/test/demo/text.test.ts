import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { type DemoResult, judge } from "../../src/demo/measure/verdict.ts";
import { reportText } from "../../src/demo/report/text.ts";
import { goodResult } from "../support/result.ts";

function linesOf(facts: Partial<typeof goodResult> = {}): string[] {
  const all = { ...goodResult, ...facts };
  const checks = judge(all);
  const result: DemoResult = { ...all, checks, pass: checks.every(({ pass }) => pass) };
  return reportText(result, new PassThrough() as never);
}

const slow = { p50: 20, p90: 30, p99: 45, max: 140 };

describe("the report", () => {
  test("has what the server counted of both fleets, side by side", () => {
    const lines = linesOf();
    expect(lines).toContainEqual(expect.stringMatching(/most calls in any second +99 of 100 +121 of 100$/));
    expect(lines).toContainEqual(expect.stringMatching(/calls refused +0 of 2000 +130 of 2100$/));
    expect(lines).toContainEqual(expect.stringMatching(/after the leave +97 of 100 +72 of 100$/));
    expect(lines.at(-1)).toBe("PASSED");
  });

  test("says that the machine was busy, and how to run it again where the demo did not pass", () => {
    expect(linesOf({ transitMs: slow }).join("\n")).toMatch(/busy: 1 call in 100 took 45 ms or more.*\nPASSED$/s);
    const failed = linesOf({ transitMs: slow, worstSlidingSecond: 120 });
    expect(failed.at(-1)).toMatch(/^NOT PASSED: the limit was kept.*--headroom 10/);
  });

  test.each([
    ["the machine was not busy", { worstSlidingSecond: 120 }],
    ["more was granted than the limit", { transitMs: slow, maxGrantedPerEpoch: 98 }],
    ["a call was made without a grant", { transitMs: slow, granted: 1_999 }],
  ])("makes no excuse when %s", (_, facts) => {
    expect(linesOf(facts).at(-1)).toBe("FAILED");
  });
});
