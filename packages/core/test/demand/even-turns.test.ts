import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const SECONDS = 120;

/** What members of a group got in two minutes of loops that ask for one token after the other, and the longest wait. */
async function share(members: number, max: number, demanding: number, intervalMs: number, seed: number) {
  const runtime = new VirtualRuntime({ seed, startMs: 6_000_000 });
  const store = new MemoryStore({ runtime });
  const got = Array.from({ length: members }, () => 0);
  let [longestMs, isOn] = [0, true];
  const throttles = got.map((_, at) =>
    createThrottle({
      name: "g",
      max,
      interval: intervalMs,
      store,
      runtime,
      shares: at < demanding ? "demand" : "even",
    }),
  );
  for (const throttle of throttles) {
    const started = throttle.start();
    await runtime.advance(7 * seed);
    await started;
  }
  await runtime.advance(10_000);
  const loops = throttles.map(async (throttle, at) => {
    let lastMs = runtime.now();
    while (isOn) {
      const granted = await throttle.acquireUpTo(1).catch(() => 0);
      longestMs = Math.max(longestMs, runtime.now() - lastMs);
      lastMs = runtime.now();
      got[at] = (got[at] as number) + (granted ?? 0);
    }
  });
  await runtime.advance(SECONDS * 1_000);
  isOn = false;
  for (const throttle of throttles) void throttle.stop();
  await runtime.advance(1_000);
  await Promise.all(loops);
  return { got, longestMs };
}

describe.each([
  [2, 1, 1],
  [5, 1, 1],
  [5, 1, 4],
  [8, 3, 1],
  [8, 3, 7],
  [12, 10, 1],
  [12, 10, 11],
  [30, 7, 15],
])("of %i members that share %i tokens, %i by demand and the others evenly", (members, max, demanding) => {
  it.each([
    [1_000, 1],
    [1_000, 2],
    [3_000, 3],
  ])("each has its turns: intervals of %i ms, seed %i", async (intervalMs, seed) => {
    const { got, longestMs } = await share(members, max, demanding, intervalMs, seed);
    const tokens = (SECONDS * 1_000 * max) / intervalMs;
    expect(got.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(0.97 * tokens);
    // About 2 n / max intervals: the reports that a turn takes come when they come.
    expect(longestMs).toBeLessThan(((1.5 * 2 * members) / max + 1) * intervalMs);
    for (const n of got) expect(n, `${got}`).toBeGreaterThan((0.5 * tokens) / members);
  });
});
