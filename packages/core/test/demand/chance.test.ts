import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const MAX = 98;
const STEP_MS = 2;

/** What was asked for and granted in a stretch of time. */
interface Count {
  asked: number;
  granted: number;
}

/** Requests by chance (Poisson), so many a second at each process, that wait in a line of 200 at most. */
async function play(rates: readonly number[], seconds: number, seed: number): Promise<Count[]> {
  const runtime = new VirtualRuntime({ seed, startMs: 1_000_000_000 });
  const store = new MemoryStore({ runtime });
  // From the middle of an epoch to the middle of another.
  const countedFromMs = runtime.now() + 15_500;
  const endMs = countedFromMs + 1_000 * seconds;
  const processes = rates.map((perSecond) => ({
    throttle: createThrottle({ name: "g", max: MAX, store, runtime, shares: "demand", maxWaiters: 200 }),
    gapMs: () => -Math.log(1 - runtime.random()) * (1_000 / perSecond),
    dueMs: runtime.now(),
    count: { asked: 0, granted: 0 },
  }));
  await Promise.all(processes.map(({ throttle }) => throttle.start()));
  for (; runtime.now() < endMs; await runtime.advance(STEP_MS))
    for (const process of processes)
      for (; process.dueMs <= runtime.now(); process.dueMs += process.gapMs()) {
        const { throttle, count } = process;
        const counted = runtime.now() >= countedFromMs;
        if (counted) count.asked += 1;
        throttle.acquireUpTo(1).then(
          () => {
            if (runtime.now() >= countedFromMs) count.granted += 1;
          },
          () => undefined,
        );
      }
  await Promise.all(processes.map(({ throttle }) => throttle.stop()));
  return processes.map(({ count }) => count);
}

describe("light processes whose requests come by chance, beside a busy one", () => {
  it("have what they ask for, and leave it nearly all that they do not use", async () => {
    const seconds = 120;
    const runs = await Promise.all([1, 2, 3, 4].map((seed) => play([96, 6, 6, 6, 6], seconds, seed)));
    const all = runs.flat().reduce((sum, { granted }) => sum + granted, 0);
    expect(all / (runs.length * seconds * MAX)).toBeGreaterThan(0.985);
    for (const [, ...light] of runs)
      for (const { asked, granted } of light) expect(granted).toBeGreaterThan(0.98 * asked);
  });
});
