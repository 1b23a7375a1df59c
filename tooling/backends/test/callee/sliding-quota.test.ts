import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { SlidingQuota } from "../../src/callee/sliding-quota.ts";

const MINUTE = { count: 100, intervalMs: 60_000 };

describe("a sliding quota", () => {
  it("counts a use for as long as a window lasts, to the millisecond", () => {
    const quota = new SlidingQuota(MINUTE);
    quota.count(30, 1_000);
    quota.count(20, 5_000);
    expect([5_000, 60_999, 61_000, 64_999, 65_000].map((nowMs) => quota.used(nowMs))).toEqual([50, 50, 20, 20, 0]);
  });

  it("names the wait until enough has left the window", () => {
    const quota = new SlidingQuota(MINUTE);
    quota.count(60, 0);
    quota.count(40, 10_000);
    expect([0, 1, 60, 61, 100].map((amount) => quota.waitMs(amount, 20_000))).toEqual([
      0, 40_000, 40_000, 50_000, 50_000,
    ]);
    expect(quota.waitMs(60, 60_000)).toBe(0);
    expect(quota.waitMs(61, 60_000)).toBe(10_000);
  });

  it("never holds more than the quota", () => {
    const quota = new SlidingQuota(MINUTE);
    expect([quota.waitMs(100, 0), quota.waitMs(101, 0)]).toEqual([0, Number.POSITIVE_INFINITY]);
  });

  it("counts what is added at the time of the beginning", () => {
    const quota = new SlidingQuota(MINUTE);
    const use = quota.count(10, 0);
    quota.count(5, 50_000);
    quota.add(use, 25, 59_000);
    expect([quota.used(59_999), quota.used(60_000)]).toEqual([40, 5]);
  });

  it("counts nothing that is added behind the window", () => {
    const quota = new SlidingQuota(MINUTE);
    const use = quota.count(10, 0);
    quota.add(use, 500, 60_000);
    expect([quota.used(60_000), quota.peak]).toEqual([0, 10]);
  });

  it("holds more than the quota where uses grow, and waits for all of it to leave", () => {
    const quota = new SlidingQuota(MINUTE);
    const first = quota.count(10, 0);
    quota.count(50, 10_000);
    quota.add(first, 140, 20_000);
    expect([quota.used(20_000), quota.peak]).toEqual([200, 200]);
    expect([quota.waitMs(50, 20_000), quota.waitMs(51, 20_000)]).toEqual([40_000, 50_000]);
  });

  it("is full again when the last use has left", () => {
    const quota = new SlidingQuota(MINUTE);
    expect(quota.fullInMs(0)).toBe(0);
    quota.count(1, 1_000);
    quota.count(1, 3_000);
    expect([quota.fullInMs(3_000), quota.fullInMs(62_999), quota.fullInMs(63_000)]).toEqual([60_000, 1, 0]);
  });

  it("remembers its peak", () => {
    const quota = new SlidingQuota(MINUTE);
    quota.count(30, 0);
    quota.count(20, 60_000);
    expect(quota.peak).toBe(30);
  });

  it("agrees with a count over all uses ever, and waits no longer and no shorter than it must", () => {
    const chance = new VirtualRuntime({ seed: 7 });
    const draw = (most: number): number => Math.floor(chance.random() * most);
    const quota = new SlidingQuota({ count: 100, intervalMs: 1_000 });
    const all: { atMs: number; amount: number }[] = [];
    const usedAt = (nowMs: number): number =>
      all.filter(({ atMs }) => atMs > nowMs - 1_000).reduce((sum, { amount }) => sum + amount, 0);
    let nowMs = 0;
    for (let step = 0; step < 3_000; step++) {
      nowMs += draw(60);
      const amount = draw(30);
      const waitMs = quota.waitMs(amount, nowMs);
      expect(usedAt(nowMs + waitMs) + amount).toBeLessThanOrEqual(100);
      if (waitMs > 0) expect(usedAt(nowMs + waitMs - 1) + amount).toBeGreaterThan(100);
      else all.push(quota.count(amount, nowMs));
      const grown = all[all.length - 1 - draw(40)];
      if (grown && draw(3) === 0) quota.add(grown, draw(20), nowMs);
      expect(quota.used(nowMs)).toBe(usedAt(nowMs));
    }
    expect(quota.peak).toBeGreaterThan(100);
  });
});
