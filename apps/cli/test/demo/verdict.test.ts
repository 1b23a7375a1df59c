import { describe, expect, test } from "vitest";
import { judge } from "../../src/demo/measure/verdict.ts";
import { goodResult } from "../support/result.ts";

function failing(facts: Partial<typeof goodResult>): string[] {
  return judge({ ...goodResult, ...facts })
    .filter(({ pass }) => !pass)
    .map(({ check }) => check);
}

describe("the verdict", () => {
  test("is a pass at the very bounds", () => {
    expect(failing({ maxGrantedPerEpoch: 97, utilisation: 0.95, worstSlidingSecond: 105 })).toEqual([]);
    expect(failing({ served: 1_990, rejected429: 10, granted: 2_000 })).toEqual([]);
  });

  test.each([
    ["never above the limit", { maxGrantedPerEpoch: 98 }],
    ["no call without a grant", { granted: 1_999 }],
    ["the limit is used", { utilisation: 0.9499 }],
    ["the limit is used", { epochsWithoutChurn: 0 }],
    ["shares right after every change", { convergenceMs: [500, null, 700] }],
    ["shares right after every change", { startConvergenceMs: null }],
    ["most calls in any second", { worstSlidingSecond: 106 }],
    ["calls refused", { served: 1_989, rejected429: 11, granted: 2_000 }],
  ])("fails by: %s, %j", (check, facts) => {
    expect(failing(facts)).toEqual([check]);
  });

  test("fails when nothing happened at all", () => {
    expect(failing({ granted: 0, served: 0, rejected429: 0, maxGrantedPerEpoch: 0 })).toEqual([
      "never above the limit",
      "calls refused",
    ]);
  });

  test("does not judge sliding seconds when shares are released at once", () => {
    expect(failing({ release: "epoch", worstSlidingSecond: 190, served: 1_500, rejected429: 500 })).toEqual([]);
  });

  test("says so when the headroom alone costs too much", () => {
    const [check] = judge({
      ...goodResult,
      max: 10,
      headroom: 1,
      limit: 9,
      maxGrantedPerEpoch: 9,
      worstSlidingSecond: 10,
      utilisation: 0.9,
    }).filter(({ pass }) => !pass);
    expect(check?.detail).toContain("the headroom alone costs 10 %");
  });
});
