import { testOutcomes } from "@dt-tooling/backends/test-outcomes";
import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyStore } from "../support/faulty-store.ts";

function world(options: Partial<ThrottleOptions> = {}) {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new FaultyStore(new MemoryStore({ runtime }));
  const throttle = createThrottle({ name: "g", max: 1, store, runtime, maxWaiters: 1, ...options });
  const stop = async (): Promise<void> => {
    store.fault = "none";
    const stopped = throttle.stop();
    await runtime.advance(5_000);
    await stopped;
  };
  return { runtime, store, throttle, stop };
}

describe("the calls of a throttle", () => {
  testOutcomes(async () => {
    const { runtime, store, throttle, stop } = world();
    await throttle.start();
    return {
      runtime,
      status: () => throttle.status(),
      onDecided: (listener) => throttle.on("decided", listener),
      tryAcquire: () => throttle.tryAcquire(),
      acquire: (options) => throttle.acquire(1, options),
      run: (options) => throttle.run(() => 1, { ...options, whenLimited: "throw" }),
      exhaust: () => void throttle.tryAcquireUpTo(1),
      free: () => runtime.advance(1_000),
      cutStore: async () => {
        store.fault = "refuse";
        await runtime.advance(60_000);
      },
      stop,
    };
  });
});

describe("a throttle is limiting", () => {
  it("not for its start, nor in a group that learns", async () => {
    const { runtime, throttle, stop } = world({ learning: "5s", maxWaiters: 10 });
    expect(throttle.tryAcquire()).toBe(false);
    const waits = throttle.acquire();
    await runtime.advance(4_000);
    expect(throttle.status()).toMatchObject({ limiting: false, waiting: 1, calls: { refused: 1 } });
    await runtime.advance(10_000);
    await waits;
    expect(throttle.status()).toMatchObject({ limiting: false, calls: { granted: 1, waited: 1 } });
    await stop();
  });

  it("for as long as a caller waits, and in a pause", async () => {
    const { runtime, throttle, stop } = world();
    await throttle.start();
    throttle.pauseUntil("2m");
    const waits = throttle.acquire();
    await runtime.advance(100_000);
    expect(throttle.status()).toMatchObject({ limiting: true, waiting: 1 });
    await runtime.advance(25_000);
    await waits;
    await runtime.advance(40_000);
    expect(throttle.status().limiting).toBe(false);
    await stop();
  });

  it("not while the store is away, also where the share is held meanwhile", async () => {
    const { runtime, store, throttle, stop } = world({ onStoreLost: { type: "hold", for: "10m" } });
    await throttle.start();
    store.fault = "refuse";
    await runtime.advance(60_000);
    expect(throttle.tryAcquireUpTo(5)).toBe(1);
    expect(throttle.tryAcquire()).toBe(false);
    expect(throttle.status()).toMatchObject({ limiting: false, calls: { granted: 1, refused: 1 } });
    await stop();
  });

  it("not where its start fails: the calls of `run` that waited for it are counted", async () => {
    const { runtime, store, throttle, stop } = world();
    store.fault = "refuse";
    const abort = new AbortController();
    const calls = [
      throttle.run(() => 1, { whenLimited: "throw" }),
      throttle.run(() => 1, { whenLimited: "throw", timeout: "1s" }),
      throttle.run(() => 1, { whenLimited: "skip", signal: abort.signal }),
    ].map((call) => call.catch((error: unknown) => error));
    await runtime.advance(1_500);
    abort.abort("late");
    await runtime.advance(30_000);
    await Promise.all(calls);
    expect(throttle.status()).toMatchObject({
      limiting: false,
      calls: { granted: 0, waited: 0, refused: 0, timedOut: 1, canceled: 1, storeError: 1 },
    });
    await stop();
  });

  it("counts tokens beside calls, and those that were given back", async () => {
    const { runtime, throttle, stop } = world({ max: 10 });
    await throttle.start();
    await runtime.advance(1_000);
    throttle.tryAcquireUpTo(4);
    throttle.tryAcquireGrant(3)?.deposit(2);
    expect(throttle.status()).toMatchObject({ calls: { granted: 2 }, tokens: { granted: 7, deposited: 2 } });
    await stop();
  });
});
