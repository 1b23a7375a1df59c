import { describe, expect, test } from "vitest";
import { arrivalJitter, percentiles, transit } from "../../src/demo/measure/jitter.ts";
import { SlidingWindow } from "../../src/demo/sliding-window.ts";
import { defaultHeadroom } from "../../src/demo/timings.ts";

describe("percentiles", () => {
  test("are by nearest rank", () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(percentiles(values)).toEqual({ p50: 100, p90: 180, p99: 198, max: 200 });
    expect(percentiles([7])).toEqual({ p50: 7, p90: 7, p99: 7, max: 7 });
    expect(percentiles([])).toEqual({ p50: 0, p90: 0, p99: 0, max: 0 });
  });
});

describe("arrival jitter", () => {
  const even = Array.from({ length: 400 }, (_, index) => 10 * index);

  test("is 0 when requests come evenly", () => {
    expect(arrivalJitter(even, 100, 1_000).max).toBe(0);
  });

  test("is how much closer than a window a request comes to the one a whole limit before it", () => {
    // A stall: what should have come from 1,500 to 1,540 comes at its end.
    const stalled = even.map((at) => (at >= 1_500 && at < 1_540 ? 1_540 : at));
    expect(arrivalJitter(stalled, 100, 1_000).max).toBe(40);
    const oneLate = even.map((at) => (at === 1_500 ? 1_506 : at));
    expect(arrivalJitter(oneLate, 100, 1_000).max).toBe(6);
  });
});

test("transit is the time from the grant to the arrival", () => {
  const arrivals = [
    { atMs: 10, grantedMs: 9 },
    { atMs: 20, grantedMs: 18 },
    { atMs: 30, grantedMs: 29 },
  ];
  expect(transit(arrivals)).toEqual({ p50: 1, p90: 2, p99: 2, max: 2 });
});

describe("headroom", () => {
  /**
   * How many of 20 seconds of requests a server with a sliding limit of `max` refuses, when they leave evenly at `rate`
   * and are delayed.
   */
  function refused(max: number, rate: number, delayed: (atMs: number) => number): number {
    const arrivals = Array.from({ length: 20 * rate }, (_, index) => delayed((1_000 * index) / rate));
    const window = new SlidingWindow(max, 1_000);
    return arrivals.sort((a, b) => a - b).filter((at) => !window.allow(at)).length;
  }

  /** Delays of 0 to `mostMs`, all different. */
  function scattered(mostMs: number): (atMs: number) => number {
    let seed = 1;
    return (atMs) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return atMs + (mostMs * seed) / 2_147_483_647;
    };
  }

  /** Every third second nothing gets through for a while. */
  function stalls(forMs: number): (atMs: number) => number {
    return (atMs) => (atMs % 3_000 < forMs ? atMs - (atMs % 3_000) + forMs : atMs);
  }

  test("is 3 % of the limit, at least one token", () => {
    expect([2, 10, 33, 34, 100, 1_000].map(defaultHeadroom)).toEqual([1, 1, 1, 2, 3, 30]);
  });

  test.each([10, 34, 100, 101, 1_000])("of the default size makes up for 30 ms of jitter at %i a second", (max) => {
    const rate = max - defaultHeadroom(max);
    expect(refused(max, rate, scattered(30))).toBe(0);
    expect(refused(max, rate, stalls(30))).toBe(0);
  });

  test("is needed: without any, the least jitter has requests refused", () => {
    expect(refused(100, 100, scattered(1))).toBeGreaterThan(0);
  });

  test("makes up for no more than it says: headroom / (max - headroom) of a second", () => {
    expect(refused(1_000, 970, stalls(30.9))).toBe(0);
    expect(refused(1_000, 970, stalls(33))).toBeGreaterThan(0);
  });
});
