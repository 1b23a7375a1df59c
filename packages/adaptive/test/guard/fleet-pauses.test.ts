import { createPacer, createSemaphore, createThrottle, MemoryStore, type PauseEnd } from "@dt/core";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { createAdaptiveRate, createGuard } from "../../src/index.ts";

/** Parts of one fleet, and a limiter of another package that notes what it is told. */
function fleet() {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new MemoryStore({ runtime });
  const told: PauseEnd[] = [];
  const parts = {
    pacer: createPacer({ name: "p", rate: 100, store, runtime }),
    throttle: createThrottle({ name: "t", rate: 100, store, runtime }),
    semaphore: createSemaphore({ name: "s", max: 10, store, runtime }),
  };
  return { runtime, store, told, parts, budget: { pauseUntil: (until: PauseEnd) => void told.push(until) } };
}

describe("pauseUntil of a guard", () => {
  it("pauses the guard and all its parts that can be paused in the fleet", async () => {
    const { runtime, store, told, parts, budget } = fleet();
    const guard = createGuard({ ...parts, alsoPause: [budget], runtime });
    guard.pauseUntil("5s");
    expect(guard.status().pausedForMs).toBe(5_000);
    expect(Object.values(parts).map((part) => part.status().pausedForMs)).toEqual([5_000, 5_000, 5_000]);
    expect(told).toEqual(["5000ms"]);
    // Another process, which has not heard of anything yet.
    const other = createPacer({ name: "p", rate: 100, store, runtime });
    await settle();
    expect(await other.tryAcquire()).toBeUndefined();
    await Promise.all([guard, other, ...Object.values(parts)].map((part) => part.stop()));
  });

  it("is bounded by maxPause, in whole milliseconds and never too short", async () => {
    const { runtime, told, budget } = fleet();
    const guard = createGuard({ alsoPause: [budget], maxPause: "2s", runtime });
    const heard: number[] = [];
    guard.on("paused", ({ forMs }) => heard.push(forMs));
    guard.pauseUntil("1.2345s");
    guard.pauseUntil("1h");
    expect(told).toEqual(["1235ms", "2000ms"]);
    expect(heard).toEqual([1_234.5, 2_000]);
    guard.pauseUntil("0s");
    await guard.stop();
    guard.pauseUntil("1s");
    expect(told).toHaveLength(2);
  });

  it("is not what pause does, nor what a call brings back", async () => {
    const { runtime, told, budget } = fleet();
    const guard = createGuard({ alsoPause: [budget], runtime });
    guard.pause("1s");
    await runtime.advance(1_000);
    const passage = await guard.acquire();
    passage.settle({ outcome: "overload", refused: true, retryAfterMs: 1_000 });
    expect(guard.status().pausedForMs).toBe(1_000);
    expect(told).toEqual([]);
  });

  it("refuses what is no time, and limiters that cannot be paused", () => {
    const { runtime, budget } = fleet();
    expect(() => createGuard({ runtime }).pauseUntil("soon")).toThrow(
      expect.objectContaining({ code: "DT_INVALID_OPTION" }),
    );
    for (const alsoPause of [[budget, {}], budget, [undefined], "x"])
      expect(() => createGuard({ alsoPause: alsoPause as [] })).toThrow(/alsoPause.*pauseUntil/s);
  });
});

describe("pauseUntil of an adaptive rate", () => {
  it("pauses the rate, and its throttle in the fleet", async () => {
    const { runtime, parts } = fleet();
    const rate = createAdaptiveRate({ throttle: parts.throttle, maxPause: "3s", runtime });
    rate.pauseUntil("9s");
    expect(rate.status().pausedForMs).toBe(3_000);
    expect(parts.throttle.status().pausedForMs).toBe(3_000);
    await rate.stop();
    rate.pauseUntil("2s");
    expect(parts.throttle.status().pausedForMs).toBe(3_000);
    await Promise.all(Object.values(parts).map((part) => part.stop()));
    createAdaptiveRate({ runtime }).pauseUntil("1s");
  });
});
