import { VirtualRuntime } from "@dt/core/testing";
import { testOutcomes } from "@dt-tooling/backends/test-outcomes";
import { describe, expect, it } from "vitest";
import {
  createAdaptiveRate,
  createAdaptiveThrottle,
  createConcurrencyLimit,
  createGuard,
  fixed,
} from "../../src/index.ts";

describe("the calls of a concurrency limit", () => {
  testOutcomes(async () => {
    const runtime = new VirtualRuntime();
    const limit = createConcurrencyLimit({ algorithm: fixed(1), maxWaiters: 1, runtime });
    const slots: { success(): void }[] = [];
    return {
      runtime,
      status: () => limit.status(),
      onDecided: (listener) => limit.on("decided", listener),
      tryAcquire: () => limit.tryAcquire(),
      acquire: async (options) => void slots.push(await limit.acquire(1, options)),
      run: (options) => limit.run(() => 1, { ...options, whenLimited: "throw" }),
      exhaust: async () => {
        if (limit.inflight === 0) slots.push(await limit.acquire());
      },
      free: async () => {
        slots.pop()?.success();
        await runtime.advance(0);
      },
      stop: () => limit.stop(),
    };
  });
});

describe("the calls of an adaptive rate", () => {
  testOutcomes(async () => {
    const runtime = new VirtualRuntime();
    const rate = createAdaptiveRate({ maxWaiters: 1, runtime, maxPause: "1m" });
    return {
      runtime,
      status: () => rate.status(),
      onDecided: (listener) => rate.on("decided", listener),
      tryAcquire: () => rate.tryAcquire(),
      acquire: (options) => rate.acquire(1, options),
      run: (options) => rate.run(() => 1, { ...options, whenLimited: "throw" }),
      exhaust: () => rate.pause("1m"),
      free: () => runtime.advance(60_000),
      stop: () => rate.stop(),
    };
  });
});

it("the calls of an adaptive throttle are counted as made or refused, and it is limiting while it refuses", async () => {
  const runtime = new VirtualRuntime();
  const throttle = createAdaptiveThrottle({ runtime });
  const told: unknown[] = [];
  throttle.on("decided", (call) => told.push(call));
  let asked = 0;
  while (throttle.status().calls.refused === 0) {
    throttle.tryAcquire()?.overload();
    asked += 1;
  }
  expect(told).toEqual([]);
  expect(throttle.status()).toMatchObject({
    ...{ kind: "adaptiveThrottle", waiting: 0, maxWaiters: undefined, limiting: true },
    calls: { granted: asked - 1, refused: 1, waited: 0 },
  });
  while (told.length === 0) await throttle.run(() => 1, { whenLimited: "skip" });
  expect(told).toEqual([{ result: "refused", waitedMs: 0, cost: 1, priority: 0 }]);
  await runtime.advance(30_000);
  expect(throttle.status().limiting).toBe(false);
});

describe("the calls of a guard", () => {
  it("are counted by how they came out; it is limiting in a pause, and where a part is", async () => {
    const runtime = new VirtualRuntime();
    const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime });
    const guard = createGuard({ limit, runtime });
    const told: unknown[] = [];
    guard.on("decided", (call) => told.push(call));
    const passage = await guard.acquire();
    expect(guard.status()).toMatchObject({ kind: "guard", limiting: false, calls: { granted: 1, waited: 0 } });
    expect(await guard.tryAcquire()).toBeUndefined();
    expect(told).toEqual([]);
    expect(guard.status()).toMatchObject({ limiting: true, calls: { refused: 1 } });
    const limited = guard.run(() => 1, { whenLimited: "throw", priority: 2 }).catch(() => undefined);
    const late = guard.acquire(1, { timeout: 20 }).catch(() => undefined);
    const abort = new AbortController();
    const aborted = guard.acquire(1, { signal: abort.signal }).catch(() => undefined);
    await runtime.advance(20);
    abort.abort("enough");
    await Promise.all([limited, late, aborted]);
    const waits = guard.acquire();
    await runtime.advance(5);
    passage.settle({ outcome: "success" });
    (await waits).settle({ outcome: "success" });
    expect(told).toMatchObject([
      { result: "refused", waitedMs: 0, priority: 2 },
      { result: "timedOut", waitedMs: 20 },
      { result: "canceled", waitedMs: 20 },
      { result: "granted", waitedMs: 5 },
    ]);
    expect(guard.status().calls).toEqual({
      ...{ granted: 2, waited: 1, refused: 2, timedOut: 1, canceled: 1, storeError: 0 },
    });
    await runtime.advance(31_000);
    expect(guard.status().limiting).toBe(false);
    guard.pause("10s");
    expect(guard.status().limiting).toBe(false);
    expect(await guard.tryAcquire()).toBeUndefined();
    expect(guard.status().limiting).toBe(true);
    await runtime.advance(31_000);
    expect(guard.status().limiting).toBe(false);
    await guard.stop();
  });
});
