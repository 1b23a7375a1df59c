import { describe, expect, test } from "vitest";
import { SlidingWindow, worstWindow } from "../../src/demo/sliding-window.ts";

describe("the server's sliding window", () => {
  test("allows max events in any window and refuses the next, which does not count", () => {
    const window = new SlidingWindow(2, 1_000);
    expect([0, 100, 200, 999, 999.9].map((at) => window.allow(at))).toEqual([true, true, false, false, false]);
    expect([1_000, 1_050, 1_100].map((at) => window.allow(at))).toEqual([true, false, true]);
  });

  test("never lets more than max through in any window, however events come", () => {
    const window = new SlidingWindow(7, 1_000);
    const allowed: number[] = [];
    for (let at = 0, step = 1; at < 60_000; at += step) {
      step = (step * 7_919 + 13) % 251;
      if (window.allow(at)) allowed.push(at);
    }
    expect(worstWindow(allowed, 1_000)).toBe(7);
  });
});

describe("the worst window", () => {
  test("contains its end and not its start", () => {
    expect(worstWindow([0, 1_000], 1_000)).toBe(1);
    expect(worstWindow([0, 999.9], 1_000)).toBe(2);
  });

  test("is found wherever it lies", () => {
    expect(worstWindow([], 1_000)).toBe(0);
    expect(worstWindow([0, 5_000, 5_100, 5_900, 5_999, 9_000], 1_000)).toBe(4);
    expect(worstWindow([1, 2, 3, 2_000, 4_000], 1_000)).toBe(3);
    expect(worstWindow([0, 2_000, 4_000, 4_001], 1_000)).toBe(2);
  });
});
