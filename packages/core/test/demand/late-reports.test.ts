import { describe, expect, it } from "vitest";
import type { MemberView } from "../../src/contract/coordination-store.ts";
import { DemandTracker } from "../../src/demand/demand-tracker.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** When a member of five, to which its share was just answered at the beginning of an epoch, reports again. */
function reportsAt(seed: number, held: number, waiting: number, tight = true): number[] {
  const runtime = new VirtualRuntime({ seed });
  const epochEndMs = runtime.now() + 1_000;
  const atMs: number[] = [];
  const tracker = new DemandTracker({
    ...{ runtime, intervalMs: 1_000, syncIntervalMs: 1_000, waiting: () => waiting, scale: () => 1, held: () => held },
    ...{ epochEndMs: () => epochEndMs, reportAfter: (ms) => void atMs.push(ms) },
  });
  tracker.needed(waiting, runtime.now());
  tracker.declare();
  const demand = { tight, hungry: tight, odd: false, waterLevel: 700, reserve: 3, extra: 0 };
  tracker.heard({ capacity: 980, members: 5, held, demand } as MemberView, held);
  return atMs;
}

const SEEDS = Array.from({ length: 50 }, (_, seed) => seed);

describe("a member whose callers wait, late in an epoch", () => {
  it("asks after those that have more have given up what they have used", () => {
    const rich = SEEDS.map((seed) => Math.max(...reportsAt(seed, 700, 5_000)));
    const poor = SEEDS.flatMap((seed) => reportsAt(seed, 3, 100));
    expect(poor).toHaveLength(SEEDS.length);
    expect(Math.max(...rich)).toBeLessThanOrEqual(Math.min(...poor));
    expect(Math.min(...rich)).toBeGreaterThanOrEqual(750);
    expect(Math.max(...poor)).toBeLessThanOrEqual(1_000);
    // Not all of a group at the same time.
    expect(Math.max(...poor) - Math.min(...poor)).toBeGreaterThan(50);
  });

  it.each([
    ["it has what it is due", 104, 100, true],
    ["no caller waits", 3, 0, true],
    ["no tokens are to be given up", 3, 100, false],
  ])("does not where nothing can come of it: %s", (_why, held, waiting, tight) => {
    for (const seed of SEEDS) expect(reportsAt(seed, held, waiting, tight)).toEqual([]);
  });
});
