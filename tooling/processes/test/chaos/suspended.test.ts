import { expect, it } from "vitest";
import { callsByEpoch, worstOf } from "../../src/chaos/suspended/calls.ts";

it("calls are counted by epoch and member, and the worst epoch is that of all members together", () => {
  const calls = [0, 999, 1_000, 1_999, 1_500].map((atMs, i) => ({ atMs, member: i % 2 ? "a" : "b" }));
  const epochs = callsByEpoch(calls, 1_000);
  expect(epochs).toEqual([
    { a: 1, b: 1 },
    { a: 1, b: 2 },
  ]);
  expect([worstOf(epochs), worstOf([])]).toEqual([3, 0]);
});
