import { expect, test } from "vitest";
import { fixedPart } from "../../src/demo/measure/facts.ts";
import { serverView } from "../../src/demo/measure/server-view.ts";
import type { Arrival } from "../../src/demo/record.ts";
import { CHURN_ALLOWANCE_MS } from "../../src/demo/timings.ts";

const arrival = (atMs: number, served = true): Arrival => ({ atMs, grantedMs: atMs, worker: 1, served });

test("counts what was served, what was refused, and the fullest sliding second with both", () => {
  const arrivals = [arrival(0), arrival(900), arrival(950, false), arrival(1_000), arrival(3_000)];
  expect(serverView({ arrivals, changes: [], endMs: 5_000 })).toMatchObject({
    served: 4,
    rejected429: 1,
    worstSlidingSecond: 3,
  });
});

test("the rate after the leave begins when the others may have taken over, and ends with the run", () => {
  const fromMs = 10_000 + CHURN_ALLOWANCE_MS.leave;
  const endMs = fromMs + 2_000;
  const late = [fromMs + 1, fromMs + 500, fromMs + 1_000, endMs].map((atMs) => arrival(atMs));
  const arrivals = [arrival(10_500), arrival(fromMs), ...late, arrival(endMs + 1)];
  const changes = [{ kind: "leave", worker: 1, atMs: 10_000 }] as const;
  expect(serverView({ arrivals, changes, endMs }).perSecondAfterLeave).toBe(2);
  expect(serverView({ arrivals, changes, endMs: fromMs }).perSecondAfterLeave).toBe(0);
});

test("a fixed part is an even part of what is left without the reserve, in whole calls", () => {
  expect(fixedPart({ max: 100, headroom: 3, workers: 4 })).toBe(24);
  expect(fixedPart({ max: 2, headroom: 1, workers: 4 })).toBe(1);
});
