import { expect, test } from "vitest";
import { overshootOf } from "../../src/chaos/history/overshoot.ts";

const epochs = (...tokens: number[]) =>
  tokens.map((sum, epoch) => ({ epoch, tokens: sum, limit: 100, firstMs: epoch, byBoot: new Map<string, number>() }));

test("epochs above the limit are counted, with the worst and the longest run of them", () => {
  const sums = epochs(100, 101, 90, 150, 100, 100, 100, 120, 100);
  expect(overshootOf(sums)).toEqual({ epochs: 3, worst: 1.5, longestRun: 3 });
});

test("without one there is no run, and the worst is what was used", () => {
  expect(overshootOf(epochs(100, 80))).toEqual({ epochs: 0, worst: 1, longestRun: 0 });
});
