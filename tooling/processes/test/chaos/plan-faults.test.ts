import { expect, test } from "vitest";
import { type FaultKind, planFaults, thingOf } from "../../src/chaos/schedule/plan-faults.ts";

const KINDS: readonly FaultKind[] = [
  { kind: "pause", on: "worker", shortestMs: 500, longestMs: 6_000, essential: true },
  { kind: "kill", on: "worker", shortestMs: 50, longestMs: 5_000, essential: true },
  { kind: "stop", on: "server", shortestMs: 200, longestMs: 4_000, essential: true },
  { kind: "slow", on: "link", shortestMs: 300, longestMs: 5_000 },
  { kind: "drop", on: "link", shortestMs: 300, longestMs: 5_000, worker: 3 },
  { kind: "max", on: "fleet", shortestMs: 3_000, longestMs: 8_000 },
];

const SEEDS = Array.from({ length: 200 }, (_, seed) => seed);

test("a seed decides the whole schedule, and another one another schedule", () => {
  expect(planFaults(KINDS, 4, 60_000, 7)).toEqual(planFaults(KINDS, 4, 60_000, 7));
  expect(planFaults(KINDS, 4, 60_000, 7)).not.toEqual(planFaults(KINDS, 4, 60_000, 8));
});

test("a run of twelve seconds has every essential kind, whatever the seed", () => {
  for (const seed of SEEDS) {
    const kinds = planFaults(KINDS, 3, 12_000, seed).map(({ kind }) => kind);
    expect(kinds, `seed ${seed}`).toEqual(expect.arrayContaining(["pause", "kill", "stop"]));
  }
});

test("nothing has two faults at once, and everything is mended before the end", () => {
  for (const seed of SEEDS) {
    const busyUntil = new Map<string, number>();
    for (const fault of planFaults(KINDS, 3, 120_000, seed)) {
      const { atMs, durationMs } = fault;
      expect(atMs).toBeGreaterThan(busyUntil.get(thingOf(fault)) ?? -1);
      busyUntil.set(thingOf(fault), atMs + durationMs);
      expect(atMs + durationMs).toBeLessThanOrEqual(120_001);
    }
  }
});

test("a long run has all kinds about equally often, and a kind for one worker only for that one", () => {
  const plan = planFaults(KINDS, 4, 600_000, 1);
  const counts = KINDS.map(({ kind }) => plan.filter((fault) => fault.kind === kind).length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
  expect(Math.min(...counts)).toBeGreaterThan(10);
  expect(new Set(plan.filter(({ kind }) => kind === "drop").map(({ worker }) => worker))).toEqual(new Set([3]));
});
