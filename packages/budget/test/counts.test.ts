import { MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { testOutcomes } from "@dt-tooling/backends/test-outcomes";
import { describe, expect, it } from "vitest";
import { type BudgetOptions, createBudget, type Lease } from "../src/index.ts";

const WINDOW_MS = 60_000;

function world(options: Partial<BudgetOptions<"tokens">> = {}) {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new MemoryStore({ runtime });
  /** While it is true requests are lost; otherwise they take so long. */
  const link = { isCut: false, delayMs: 0 };
  const linked = new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      if (name !== "spend") return own.bind(target);
      return async (...args: unknown[]) => {
        if (link.isCut) return new Promise(() => undefined);
        if (link.delayMs > 0) await new Promise<void>((resolve) => void runtime.setTimer(resolve, link.delayMs));
        return own.apply(target, args);
      };
    },
  });
  const limits = { tokens: { rate: "100/min", burst: 100 } } as const;
  const budget = createBudget({ name: "llm", store: linked, limits, runtime, ...options });
  const stop = async (): Promise<void> => {
    const stopped = budget.stop();
    await runtime.advance(30_000);
    await stopped;
  };
  return { runtime, budget, link, stop };
}

describe("the calls of a budget", () => {
  testOutcomes(async () => {
    const { runtime, budget, link, stop } = world({ maxWaiters: 1 });
    const cost = { tokens: 100 };
    return {
      runtime,
      status: () => budget.status(),
      onDecided: (listener) => budget.on("decided", listener),
      tryAcquire: () => budget.tryAcquire(cost),
      acquire: (options) => budget.acquire(cost, options),
      run: (options) => budget.run(() => 1, { ...options, cost, whenLimited: "throw" }),
      exhaust: async () => void (await budget.tryAcquire(cost)),
      free: () => runtime.advance(WINDOW_MS + 1_000),
      cutStore: () => {
        link.isCut = true;
      },
      stop,
    };
  });
});

describe("a budget", () => {
  it("does not count a round trip to a slow store as a wait for a limit", async () => {
    const { runtime, budget, link, stop } = world();
    link.delayMs = 200;
    const told: unknown[] = [];
    budget.on("decided", (call) => told.push(call));
    const calls = [1, 2, 3].map((tokens) => budget.acquire({ tokens }));
    await runtime.advance(2_000);
    await Promise.all(calls);
    expect(told).toEqual([]);
    expect(budget.status()).toMatchObject({ kind: "budget", limiting: false, calls: { granted: 3, waited: 0 } });
    await stop();
  });

  it("counts what it only counts as granted at once", async () => {
    const { budget, stop } = world({ enforce: false });
    for (let n = 0; n < 3; n++) await budget.acquire({ tokens: 90 });
    expect(budget.status()).toMatchObject({ limiting: false, wouldWait: 2, calls: { granted: 3, waited: 0 } });
    await stop();
  });

  it("tells the cost of a call by the limits' names, and is limiting for as long as one waits", async () => {
    const { runtime, budget, stop } = world();
    const told: unknown[] = [];
    budget.on("decided", (call) => told.push(call));
    await budget.acquire({ tokens: 100 });
    const waits = budget.acquire({ tokens: 100 }, { priority: 2 });
    await runtime.advance(WINDOW_MS - 1_000);
    expect(budget.status()).toMatchObject({ limiting: true, waiting: 1 });
    await runtime.advance(2_000);
    await waits;
    expect(told).toEqual([
      { result: "granted", waitedMs: expect.closeTo(WINDOW_MS, -3), cost: { tokens: 100 }, priority: 2 },
    ]);
    expect(budget.status().calls).toMatchObject({ granted: 2, waited: 1 });
    await stop();
  });

  it("is limiting where calls wait for a slot of concurrent, not where its semaphore starts", async () => {
    const { runtime, budget, stop } = world({ concurrent: 1 });
    const first = budget.acquire({ tokens: 1 });
    await runtime.advance(1_000);
    const lease: Lease = await first;
    expect(budget.status()).toMatchObject({ limiting: false, calls: { granted: 1, waited: 0 } });
    expect(await budget.tryAcquire({ tokens: 1 })).toBeUndefined();
    expect(budget.status().limiting).toBe(true);
    await runtime.advance(31_000);
    expect(budget.status().limiting).toBe(false);
    const second = budget.acquire({ tokens: 1 });
    await runtime.advance(31_000);
    expect(budget.status().limiting).toBe(true);
    lease.settle();
    await runtime.advance(1_000);
    (await second).settle();
    expect(budget.status().calls).toMatchObject({ granted: 2, waited: 1, refused: 1 });
    await stop();
  });

  it("counts the units that it reserved and settled of each limit", async () => {
    const { runtime, budget, stop } = world();
    const [first, second] = [await budget.acquire({ tokens: 30 }), await budget.acquire({ tokens: 20 })];
    first.settle({ tokens: 45 });
    second.cancel();
    await runtime.advance(1_000);
    expect(budget.status().limits["tokens"]).toMatchObject({ reserved: 50, settled: 45 });
    await stop();
  });
});
