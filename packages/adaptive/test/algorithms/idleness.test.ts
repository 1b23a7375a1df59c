import { expect, test } from "vitest";
import { queueWait } from "../../src/index.ts";
import { seen } from "./windows.ts";

const random = () => 0.5;

/**
 * Twenty answers a second, of calls that take 50 ms and waited 100: two of ours wait, and twelve milliseconds are aimed
 * at.
 */
const waiting = { samples: 10, reports: 10, successCost: 2, minMs: 2, meanMs: 152, queueWaitMs: 100, maxInflight: 3 };

function limitAfter(unqueued: number, over: object = {}): number {
  const state = { ...queueWait().start(), limit: 4, slowStart: false, idleness: { reports: 90, unqueued } };
  return queueWait().next(state, seen({ ...waiting, ...over }), random).limit;
}

test("a wait above the aim is not too much while calls find the callee idle, so many in a hundred as ours wait", () => {
  expect(limitAfter(2)).toBeGreaterThan(4);
  // Half as many: the callee is hardly idle, and one less is enough.
  expect(limitAfter(1)).toBe(3);
  expect(limitAfter(0)).toBeLessThan(3);
});

test("who has many waiting gives way, however often the callee is idle", () => {
  expect(limitAfter(50, { queueWaitMs: 400, meanMs: 452 })).toBeLessThan(4);
});
