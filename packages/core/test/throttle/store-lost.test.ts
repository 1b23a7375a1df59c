import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyStore } from "../support/faulty-store.ts";

/** Validity is 6.75 s by default. */
async function started(options: Partial<ThrottleOptions> = {}): Promise<{
  runtime: VirtualRuntime;
  store: FaultyStore;
  throttle: Throttle;
  events: string[];
}> {
  const runtime = new VirtualRuntime();
  const store = new FaultyStore(new MemoryStore({ runtime }));
  const throttle = createThrottle({ name: "g", max: 12, store, runtime, ...options });
  const events: string[] = [];
  throttle.on("validityLost", ({ policy }) => events.push(`lost:${policy}`));
  throttle.on("validityRegained", () => events.push("regained"));
  throttle.on("storeError", ({ operation, error }) => events.push(`${operation}:${error.code}`));
  await throttle.start();
  await runtime.advance(options.interval === "5s" ? 10_000 : 2_000);
  expect(throttle.tryAcquireUpTo(100)).toBe(12);
  return { runtime, store, throttle, events };
}

describe.each(["refuse", "hang", "loseReplies"] as const)("while the store's calls %s", (fault) => {
  it("a share is used as long as it is valid: a short outage costs nothing", async () => {
    const { runtime, store, throttle, events } = await started();
    store.fault = fault;
    for (let second = 0; second < 5; second++) {
      await runtime.advance(1_000);
      expect(throttle.tryAcquireUpTo(100)).toBe(12);
    }
    store.fault = "none";
    await runtime.advance(3_000);
    expect(throttle.tryAcquireUpTo(100)).toBe(12);
    expect(events).not.toContain("lost:stop");
  });

  it("stop: nothing is granted past the validity, acquire fails instead of hanging, and it recovers by itself", async () => {
    const { runtime, store, throttle, events } = await started();
    store.fault = fault;
    await runtime.advance(9_000);
    expect(throttle.tryAcquireUpTo(1)).toBe(0);
    expect(throttle.status()).toMatchObject({
      share: 0,
      validForMs: 0,
      lastError: { code: expect.stringMatching(/^DT_STORE/) },
    });
    expect(events).toContain("lost:stop");
    let refusal: unknown;
    throttle.acquireUpTo(1).catch((error: unknown) => {
      refusal = error;
    });
    await runtime.advance(1_100);
    expect(refusal).toMatchObject({ code: fault === "refuse" ? "DT_STORE_UNAVAILABLE" : "DT_STORE_TIMEOUT" });
    store.fault = "none";
    await runtime.advance(3_000);
    expect(throttle.tryAcquireUpTo(100)).toBe(12);
    expect(events.at(-1)).toBe("regained");
    await throttle.stop();
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("without a valid share", () => {
  it("acquire asks the store at once and goes on when it answers", async () => {
    const { runtime, store, throttle } = await started();
    // Refused, so that no call is under way when the store is back: acquire must make one of its own.
    store.fault = "refuse";
    await runtime.advance(9_000);
    expect(throttle.tryAcquireUpTo(1)).toBe(0);
    store.fault = "none";
    const granted: number[] = [];
    throttle.acquireUpTo(5).then((n) => granted.push(n));
    await runtime.advance(2_000);
    expect(granted).toEqual([5]);
  });

  it("those who wait when the validity ends are refused, not left hanging", async () => {
    const { runtime, store, throttle } = await started({ interval: "5s", staleAfter: "20s", validity: "6s" });
    store.fault = "hang";
    throttle.tryAcquireUpTo(100);
    const refusals: unknown[] = [];
    for (let i = 0; i < 20; i++)
      throttle.acquireUpTo(12, { timeout: "60s" }).catch((error: { code: string }) => refusals.push(error.code));
    await runtime.advance(12_000);
    expect(new Set(refusals)).toEqual(new Set(["DT_STORE_TIMEOUT"]));
    expect(refusals.length).toBeGreaterThan(15);
  });

  it("hold: the last share goes on for the stated time, then stops", async () => {
    const { runtime, store, throttle, events } = await started({ onStoreLost: { type: "hold", for: "10s" } });
    store.fault = "hang";
    await runtime.advance(15_000);
    expect(throttle.tryAcquireUpTo(100)).toBe(12);
    expect(events).toContain("lost:hold");
    await runtime.advance(3_000);
    expect(throttle.tryAcquireUpTo(100)).toBe(0);
  });

  it("floor: max / maxMembers goes on for as long as the outage lasts", async () => {
    const { runtime, store, throttle } = await started({ onStoreLost: { type: "floor", maxMembers: 5 } });
    store.fault = "refuse";
    await runtime.advance(60_000);
    expect(throttle.tryAcquireUpTo(100)).toBe(2);
    store.fault = "none";
    await runtime.advance(3_000);
    expect(throttle.tryAcquireUpTo(100)).toBe(12);
  });
});

describe("without a valid share, to the end", () => {
  it("hold ends within an epoch too", async () => {
    const { runtime, store, throttle } = await started({
      interval: "5s",
      staleAfter: "20s",
      validity: "6s",
      onStoreLost: { type: "hold", for: "3s" },
    });
    store.fault = "refuse";
    // At 10 s. The last answer is at most a sync interval old, so the share is held until 18 to 19 s: within the epoch
    // from 15 to 20 s.
    await runtime.advance(7_800);
    expect(throttle.tryAcquireUpTo(1)).toBe(1);
    await runtime.advance(1_400);
    expect(throttle.tryAcquireUpTo(1)).toBe(0);
  });

  it("floor that leaves no token to anybody fails acquire as stop does", async () => {
    const { runtime, store, throttle } = await started({ onStoreLost: { type: "floor", maxMembers: 50 } });
    store.fault = "refuse";
    await runtime.advance(9_000);
    let refusal: unknown;
    throttle.acquireUpTo(1).catch((error: unknown) => {
      refusal = error;
    });
    await runtime.advance(100);
    expect(refusal).toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
  });
});

describe("start", () => {
  it("that fails refuses those who did not wait for it", async () => {
    const runtime = new VirtualRuntime();
    const store = new FaultyStore(new MemoryStore({ runtime }));
    const throttle = createThrottle({ name: "g", max: 12, store, runtime });
    store.fault = "refuse";
    const start = throttle.start({ timeout: 0 });
    const early = expect(throttle.acquireUpTo(1)).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    await expect(start).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    await early;
    expect(runtime.pendingTimers).toBe(0);
  });

  it("rejects when the store does not answer, and can be tried again", async () => {
    const runtime = new VirtualRuntime();
    const store = new FaultyStore(new MemoryStore({ runtime }));
    const throttle = createThrottle({ name: "g", max: 12, store, runtime });
    store.fault = "refuse";
    await expect(throttle.start({ timeout: 0 })).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    const calls = store.calls;
    await runtime.advance(60_000);
    expect(store.calls).toBe(calls);
    store.fault = "none";
    await throttle.start();
    await runtime.advance(1_000);
    expect(throttle.tryAcquireUpTo(100)).toBe(12);
  });

  it("with floor it goes on without the store, and joins when it answers", async () => {
    const runtime = new VirtualRuntime();
    const store = new FaultyStore(new MemoryStore({ runtime }));
    store.fault = "refuse";
    const throttle = createThrottle({
      name: "g",
      max: 12,
      store,
      runtime,
      onStoreLost: { type: "floor", maxMembers: 4 },
    });
    await throttle.start();
    expect(throttle.tryAcquireUpTo(100)).toBe(3);
    store.fault = "none";
    await runtime.advance(3_000);
    expect(throttle.tryAcquireUpTo(100)).toBe(12);
  });

  it("two calls are one start", async () => {
    const runtime = new VirtualRuntime();
    const store = new FaultyStore(new MemoryStore({ runtime }));
    const throttle = createThrottle({ name: "g", max: 12, store, runtime });
    await Promise.all([throttle.start(), throttle.start()]);
    expect(store.calls).toBe(1);
  });

  it("a stop during the start wins", async () => {
    const runtime = new VirtualRuntime();
    const store = new FaultyStore(new MemoryStore({ runtime }));
    store.fault = "hang";
    const throttle = createThrottle({ name: "g", max: 12, store, runtime });
    const start = throttle.start();
    const outcome = start.then(
      () => "started",
      (error: { code: string }) => error.code,
    );
    const stop = throttle.stop();
    // The registration's deadline and the farewell's, 1.25 s each.
    await runtime.advance(2_600);
    await stop;
    await settle();
    expect(await outcome).toBe("DT_STOPPED");
    expect(runtime.pendingTimers).toBe(0);
  });
});
