import { MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { testOutcomes } from "@dt-tooling/backends/test-outcomes";
import { describe, expect, it } from "vitest";
import { createKeyed, type KeyedOptions } from "../src/index.ts";

const WINDOW_MS = 60_000;

function world(options: Partial<KeyedOptions> = {}) {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new MemoryStore({ runtime });
  /** While it is true requests are lost; otherwise they take so long. */
  const link = { isCut: false, delayMs: 0 };
  const linked = new Proxy(store, {
    get: (target, name) => {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      if (name !== "take") return own.bind(target);
      return async (...args: unknown[]) => {
        if (link.isCut) return new Promise(() => undefined);
        if (link.delayMs > 0) await new Promise<void>((resolve) => void runtime.setTimer(resolve, link.delayMs));
        return own.apply(target, args);
      };
    },
  });
  const limits = createKeyed({ name: "api", store: linked, limit: { rate: "1/min", burst: 1 }, runtime, ...options });
  const stop = async (): Promise<void> => {
    const stopped = limits.stop();
    await runtime.advance(30_000);
    await stopped;
  };
  /** Settles a call that the store decides. */
  const settled = async <T>(call: Promise<T>): Promise<T> => {
    void call.catch(() => undefined);
    await runtime.advance(2 * link.delayMs);
    return call;
  };
  return { runtime, limits, link, stop, settled };
}

describe.each([
  ["one key", true],
  ["all keys", false],
])("the calls of %s", (_, isOne) => {
  testOutcomes(async () => {
    const { runtime, limits, link, stop } = world({ maxWaiters: 1 });
    const limiter = limits.for("a");
    return {
      runtime,
      status: () => (isOne ? limiter : limits).status(),
      onDecided: (listener) => (isOne ? limiter : limits).on("decided", listener),
      tryAcquire: () => limiter.tryAcquire(),
      acquire: (options) => limiter.acquire(1, options),
      run: (options) => limiter.run(() => 1, { ...options, whenLimited: "throw" }),
      exhaust: async () => void (await limiter.tryAcquire()),
      free: () => runtime.advance(WINDOW_MS + 100),
      cutStore: () => {
        link.isCut = true;
      },
      stop,
    };
  });
});

describe("a keyed limit", () => {
  it("tells the key of a call that came out, and one limiter's calls from another's", async () => {
    const { runtime, limits, stop } = world();
    const told: unknown[] = [];
    limits.on("decided", (call) => told.push(call));
    const [a, b] = [limits.for("a"), limits.for("b")];
    await a.acquire();
    await b.acquire();
    const late = a.acquire(1, { timeout: 10, priority: 1 }).catch(() => undefined);
    await runtime.advance(10);
    await late;
    expect(told).toMatchObject([{ key: "a", result: "timedOut", cost: 1, priority: 1 }]);
    expect(a.status()).toMatchObject({ kind: "keyed", limiting: true, calls: { granted: 1, timedOut: 1 } });
    expect(b.status()).toMatchObject({ limiting: false, calls: { granted: 1, timedOut: 0 } });
    expect(limits.status()).toMatchObject({ limiting: true, decisions: 3, calls: { granted: 2, timedOut: 1 } });
    await stop();
  });

  it("does not count a round trip to a slow store as a wait for the limit", async () => {
    const { limits, link, stop, settled } = world({ limit: { rate: "10/min", burst: 10 } });
    link.delayMs = 200;
    const told: unknown[] = [];
    limits.on("decided", (call) => told.push(call));
    await settled(Promise.all([limits.for("a").acquire(), limits.for("b").acquire(), limits.check("c")]));
    expect(told).toEqual([]);
    expect(limits.status()).toMatchObject({ limiting: false, calls: { granted: 3, waited: 0 } });
    await stop();
  });

  it("counts what goes on without its store, or without its limit, as granted at once", async () => {
    for (const options of [{ whenStoreLost: "allow" }, { enforce: false }] as const) {
      const { runtime, limits, link, stop } = world(options);
      link.isCut = options.enforce === undefined;
      const calls = [limits.for("a").acquire(), limits.for("b").tryAcquire()];
      await runtime.advance(5_000);
      await Promise.all(calls);
      expect(limits.status()).toMatchObject({ limiting: false, calls: { granted: 2, waited: 0, refused: 0 } });
      await stop();
    }
  });

  it("that denies while its store is away refuses checks, and counts a failed wait as the store's", async () => {
    const { runtime, limits, link, stop } = world({ whenStoreLost: "deny" });
    link.isCut = true;
    const calls = [
      limits.check("a"),
      limits
        .for("a")
        .acquire()
        .catch(() => undefined),
    ];
    await runtime.advance(5_000);
    expect(await calls[0]).toMatchObject({ allowed: false, limitedBy: "store" });
    await calls[1];
    expect(limits.status()).toMatchObject({ limiting: false, calls: { granted: 0, refused: 1, storeError: 1 } });
    await stop();
  });

  it("is limiting where its parent refuses or makes wait", async () => {
    const { runtime, limits: parent, stop } = world({ limit: { rate: "1/s", burst: 1 } });
    const store = new MemoryStore({ runtime });
    const limit = { rate: "100/s", burst: 100 } as const;
    const limits = createKeyed({ name: "user", store, limit, parent: parent.for("all"), runtime });
    expect(await limits.for("a").tryAcquire()).toBeDefined();
    expect(await limits.for("a").tryAcquire()).toBeUndefined();
    expect(limits.status()).toMatchObject({ limiting: true, calls: { granted: 1, refused: 1 } });
    await runtime.advance(31_000);
    expect(limits.status().limiting).toBe(false);
    await parent.for("all").tryAcquire();
    const waits = limits.for("a").acquire();
    await runtime.advance(2_000);
    await waits;
    expect(limits.status()).toMatchObject({ limiting: true, calls: { granted: 2, waited: 1 } });
    const stopped = limits.stop();
    await runtime.advance(2_000);
    await stopped;
    await stop();
  });
});
