import { describe, expect, it } from "vitest";
import { WantEstimate, type WantHints } from "../../src/demand/want-estimate.ts";

const HINTS: WantHints = {
  waiting: 0,
  starved: false,
  patient: false,
  refused: false,
  short: false,
  tight: true,
  most: 1_000,
};

/** An estimate of so many requests a second, told every second, for ten seconds. Returns when that ended. */
function steady(perSecond: number): { estimate: WantEstimate; nowMs: number } {
  const estimate = new WantEstimate(1_000);
  let nowMs = 0;
  for (let request = 1; request <= 10 * perSecond; request++) {
    nowMs = (1_000 * request) / perSecond;
    estimate.add(1, nowMs);
    if (request % perSecond === 0) estimate.next(nowMs, HINTS, 1);
  }
  return { estimate, nowMs };
}

describe("what a member wants that starved a little", () => {
  const clump = (patient: boolean): number => {
    const { estimate, nowMs } = steady(8);
    for (let request = 0; request < 3; request++) estimate.add(1, nowMs + 100);
    return estimate.next(nowMs + 100, { ...HINTS, starved: true, patient }, 1);
  };

  it("is what comes in the mean where requests wait: three at once are chance", () => {
    expect(clump(true)).toBeLessThanOrEqual(10);
  });

  it("is four times what came in a quarter of an interval where they are refused, for those are lost", () => {
    expect(clump(false)).toBeGreaterThanOrEqual(16);
  });

  it("follows a burst within a quarter of an interval, waiting or not", () => {
    for (const patient of [true, false]) {
      const { estimate, nowMs } = steady(8);
      for (let request = 0; request < 12; request++) estimate.add(1, nowMs + 20 * request);
      expect(estimate.next(nowMs + 240, { ...HINTS, starved: true, patient }, 1)).toBeGreaterThanOrEqual(36);
    }
  });
});
