import { describe, expect, it } from "vitest";
import { type Call, judge, limitIn, type Setting } from "../../src/limits/judge.ts";

const setting = (limit: number, setMs: number, graceMs = 1_000): Setting => ({
  ...{ limit, setMs, graceMs },
  askedMs: setMs - 100,
});

const LIMITS = [setting(10, 100), setting(4, 10_000), setting(8, 20_000)];

const calls = (count: number, beganMs: number): Call[] =>
  Array.from({ length: count }, () => ({ beganMs, endedMs: beganMs + 50 }));

describe("the judge of limits that change", () => {
  it("allows the limit before until all know the new one, and a higher one from when it was asked for", () => {
    expect(limitIn(LIMITS, 5_000, 6_000)).toBe(10);
    expect(limitIn(LIMITS, 10_900, 11_900)).toBe(10);
    expect(limitIn(LIMITS, 11_001, 12_001)).toBe(4);
    expect(limitIn(LIMITS, 18_800, 19_800)).toBe(4);
    expect(limitIn(LIMITS, 18_950, 19_950)).toBe(8);
  });

  it("finds a call too many in flight, whatever the kind's window is", () => {
    expect(judge("semaphore", calls(4, 15_000), LIMITS)).toMatchObject({ most: 1, violations: [] });
    expect(judge("semaphore", calls(5, 15_000), LIMITS).violations).toHaveLength(1);
    expect(judge("semaphore", [...calls(4, 15_000), ...calls(4, 15_050)], LIMITS).violations).toEqual([]);
  });

  it("allows as much more as a process noticed that its calls may be late, then and not otherwise", () => {
    const late = [{ atMs: 15_300, byMs: 600 }];
    expect(judge("pacer", calls(7, 15_000), LIMITS, late).violations).toEqual([]);
    expect(judge("pacer", calls(8, 15_000), LIMITS, late).violations).toHaveLength(1);
    expect(judge("pacer", calls(7, 13_000), LIMITS, late).violations).toHaveLength(2);
    expect(judge("pacer", calls(7, 17_000), LIMITS, late).violations).toHaveLength(2);
  });

  it.each([
    ["throttle", 8],
    ["pacer", 5],
    ["budget", 4],
    ["keyed", 8],
  ] as const)("allows a %s %d calls in a second with a limit of 4, and no more", (kind, most) => {
    const within = calls(most, 15_000);
    expect(judge(kind, within, LIMITS).violations).toEqual([]);
    expect(judge(kind, [...within, ...calls(1, 15_999)], LIMITS).violations).toHaveLength(1);
    expect(judge(kind, [...within, ...calls(1, 16_000)], LIMITS).violations).toEqual([]);
  });
});
