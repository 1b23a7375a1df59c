import { describe, expect, it } from "vitest";
import type { CalleeCall } from "../../src/in-flight/callee.ts";
import { type Circumstances, judge } from "../../src/in-flight/judge.ts";

const CALM: Circumstances = {
  limits: [{ fromMs: 0, max: 2 }],
  excuses: [],
  lowerings: [],
  staleAfterMs: 1_000,
  syncIntervalMs: 100,
};

const call = (worker: number, beganMs: number, endedMs: number): CalleeCall => ({ worker, beganMs, endedMs });

describe("the judge of calls in flight", () => {
  it("finds nothing wrong where one call ends at the instant at which the next begins", () => {
    const { violations, most, calls } = judge([call(0, 0, 10), call(1, 0, 20), call(0, 10, 30)], CALM);
    expect([violations, most, calls]).toEqual([[], 0, 3]);
  });

  it("finds a call that begins beyond max", () => {
    const { violations, most } = judge([call(0, 0, 10), call(1, 0, 20), call(0, 9, 30)], CALM);
    expect(violations).toEqual([expect.stringContaining("3 calls in flight at 9 ms, where 2 were allowed")]);
    expect(most).toBe(1);
  });

  it("excuses calls of a process that stopped, from its stale age on, and counts them", () => {
    const calls = [call(0, 0, 5_000), call(1, 0, 20), call(1, 1_950, 1_990), call(2, 1_960, 1_980)];
    const excuses = [{ state: "N1", worker: 0, atMs: 1_000 }] as const;
    const found = judge(calls, { ...CALM, excuses });
    expect(found.violations).toEqual([]);
    expect(found.seenMs).toEqual({ N1: 20, N2: 0, N4: 0 });
    const early = calls.map((one) => (one.worker === 2 ? call(2, 1_000, 1_980) : one));
    const begun = judge([...early, call(3, 1_100, 1_200)], { ...CALM, excuses });
    expect(begun.violations).toHaveLength(1);
  });

  it("excuses no call that such a process began later", () => {
    const calls = [call(0, 0, 5_000), call(0, 2_500, 5_000), call(1, 2_600, 2_700), call(2, 2_650, 2_700)];
    const excuses = [{ state: "N1", worker: 0, atMs: 1_000 }] as const;
    expect(judge(calls, { ...CALM, excuses }).violations).toHaveLength(1);
  });

  it("allows the old maximum until a lower one is in force, and no more", () => {
    const limits = [...CALM.limits, { fromMs: 100, max: 1 }];
    const lowerings = [{ fromMs: 100, toMs: 200, oldMax: 2 }];
    const calls = [call(0, 0, 150), call(1, 90, 190), call(0, 160, 195)];
    const found = judge(calls, { ...CALM, limits, lowerings });
    expect(found.violations).toEqual([]);
    expect(found.seenMs.N2).toBeGreaterThan(0);
    expect(judge([...calls, call(2, 170, 180)], { ...CALM, limits, lowerings }).violations).toHaveLength(1);
    expect(
      judge([...calls, call(2, 210, 230), call(3, 220, 225)], { ...CALM, limits, lowerings }).violations,
    ).toHaveLength(1);
  });
});
