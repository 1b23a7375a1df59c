import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle, type ThrottleEvent } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { Fleet } from "../support/fleet.ts";

/** What is told of these events, in order; times rounded. */
function heard(throttle: Throttle, ...names: ThrottleEvent[]): unknown[] {
  const told: unknown[] = [];
  for (const name of names)
    throttle.on(name, (event) => {
      const rounded = Object.entries(event).map(([key, value]) => [
        key,
        typeof value === "number" ? Math.round(value) : value,
      ]);
      told.push([name, Object.fromEntries(rounded)]);
    });
  return told;
}

describe("callers that wait", () => {
  async function alone(options: { readonly maxWaiters?: number } = {}) {
    const runtime = new VirtualRuntime({ startMs: 1_000_000 });
    const store = new MemoryStore({ runtime });
    const throttle = createThrottle({ name: "g", max: 10, store, runtime, ...options });
    await throttle.start();
    return { runtime, throttle };
  }

  it("a grant tells how long its caller had waited", async () => {
    const { runtime, throttle } = await alone();
    const told = heard(throttle, "grant");
    throttle.tryAcquireUpTo(4);
    await throttle.acquireUpTo(6);
    const later = throttle.acquireUpTo(3);
    await runtime.advance(1_000);
    await later;
    expect(told).toEqual([
      ["grant", { epoch: 1_000, tokens: 4, waitedMs: 0 }],
      ["grant", { epoch: 1_000, tokens: 6, waitedMs: 0 }],
      ["grant", { epoch: 1_001, tokens: 3, waitedMs: 1_000 }],
    ]);
  });

  it("one whose time is up is told of, with what it still waited for", async () => {
    const { runtime, throttle } = await alone();
    const told = heard(throttle, "timedOut");
    throttle.tryAcquireUpTo(8);
    const called = throttle
      .wrap(async () => "called", { cost: 5, timeout: 300 })()
      .catch((error: unknown) => error);
    await runtime.advance(300);
    expect(await called).toMatchObject({ code: "DT_TIMEOUT" });
    expect(told).toEqual([["timedOut", { tokens: 3, waitedMs: 300 }]]);
  });

  it("one that finds as many waiting as may is told of", async () => {
    const { throttle } = await alone({ maxWaiters: 2 });
    const told = heard(throttle, "queueFull");
    throttle.tryAcquireUpTo(10);
    for (let i = 0; i < 2; i++) throttle.acquireUpTo(1).catch(() => undefined);
    await expect(throttle.acquireUpTo(1)).rejects.toMatchObject({ code: "DT_QUEUE_FULL" });
    expect(told).toEqual([["queueFull", { waiting: 2 }]]);
    await throttle.stop();
  });
});

describe("a member and its group", () => {
  it("a store that lost its data has forgotten the member, which joins again with what it holds", async () => {
    const fleet = new Fleet(10);
    const { throttle } = await fleet.join();
    await fleet.run(3_000);
    const told = heard(throttle, "forgotten", "rejoined", "stoodStill");
    fleet.server.loseData();
    await fleet.run(1_100);
    expect(told).toEqual([
      ["forgotten", { silentMs: expect.any(Number) }],
      ["rejoined", { held: 10 }],
    ]);
    const [[, { silentMs }]] = told as [[string, { silentMs: number }]];
    expect(silentMs).toBeGreaterThan(0);
    expect(silentMs).toBeLessThanOrEqual(1_000);
  });

  it("a process that stood still past its stale age is told so, that it was forgotten, and that it is back", async () => {
    const fleet = new Fleet(10);
    const stopped = await fleet.join();
    await fleet.join();
    await fleet.run(3_000);
    const told = heard(stopped.throttle, "forgotten", "rejoined", "stoodStill");
    stopped.pause();
    await fleet.run(30_000);
    expect(told).toEqual([]);
    stopped.resume();
    await fleet.run(1_000);
    expect(told).toEqual([
      ["stoodStill", { forMs: expect.any(Number), what: "process" }],
      ["forgotten", { silentMs: expect.any(Number) }],
      ["rejoined", { held: 0 }],
    ]);
    const [[, { forMs }]] = told as [[string, { forMs: number }]];
    expect(forMs).toBeGreaterThan(28_900);
    expect(forMs).toBeLessThanOrEqual(30_000);
  });

  it("a machine that was suspended says for how long", async () => {
    const runtime = new VirtualRuntime({ startMs: 1_000_000 });
    const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime });
    await throttle.start();
    await runtime.advance(2_000);
    const told = heard(throttle, "stoodStill");
    runtime.suspend(60_000);
    await runtime.advance(1_000);
    expect(told).toEqual([["stoodStill", { forMs: 60_000, what: "machine" }]]);
  });
});
