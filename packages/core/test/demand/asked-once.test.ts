import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** Eight requests a second, four at once, of which most wait for their instants; returns the wants that were told. */
async function wantsOf(ask: (throttle: Throttle) => Promise<unknown>): Promise<number[]> {
  const runtime = new VirtualRuntime({ seed: 7, startMs: 1_000_000_000 });
  const store = new MemoryStore({ runtime });
  const told: number[] = [];
  const sync = store.sync.bind(store);
  store.sync = (group, member, report, ...rest) => {
    if (report.demand) told.push(report.demand.want);
    return sync(group, member, report, ...rest);
  };
  const throttle = createThrottle({ name: "g", max: 100, store, runtime, shares: "demand", release: "even" });
  await throttle.start();
  for (let half = 0; half < 40; half++) {
    if (half === 20) told.length = 0;
    const asked = Array.from({ length: 4 }, () => ask(throttle));
    await runtime.advance(500);
    await Promise.all(asked);
  }
  await throttle.stop();
  return told;
}

describe("a request that has to wait", () => {
  it.each<[string, (throttle: Throttle) => Promise<unknown>]>([
    ["acquire()", (throttle) => throttle.acquireUpTo(1)],
    ["acquire(1, { timeout })", (throttle) => throttle.acquireUpTo(1, { timeout: 5_000 })],
    ["acquireGrant()", (throttle) => throttle.acquireGrant()],
    ["a wrapped function", (throttle) => throttle.wrap(async () => undefined)()],
  ])("is wanted once, by %s", async (_, ask) => {
    const told = await wantsOf(ask);
    expect(told.length).toBeGreaterThan(5);
    expect(Math.max(...told)).toBeLessThanOrEqual(8);
  });
});

describe("calls that get their token at once", () => {
  it.each([
    ["and nothing else happens", (_: Throttle) => undefined],
    ["and the status is read all the time", (throttle: Throttle) => throttle.status()],
  ])("are all wanted, %s", async (_, meanwhile) => {
    const runtime = new VirtualRuntime({ seed: 7, startMs: 1_000_000_000 });
    const store = new MemoryStore({ runtime });
    const throttle = createThrottle({ name: "g", max: 100, store, runtime, shares: "demand" });
    await throttle.start();
    const told: number[] = [];
    for (let call = 0; call < 1_000; call++) {
      await runtime.advance(20);
      expect(throttle.tryAcquire()).toBe(true);
      meanwhile(throttle);
      if (call >= 200) told.push(throttle.status().want as number);
    }
    await throttle.stop();
    // 50 a second, on the grid of wants.
    expect([Math.min(...told), Math.max(...told)]).toEqual([52, 52]);
  });
});
