import { createThrottle, type LimitLedger, type LimitRecord, MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import {
  type AdaptiveRate,
  algorithmByName,
  algorithmNames,
  createAdaptiveRate,
  createConcurrencyLimit,
  type LearnedOptions,
} from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

const SEARCH = { kind: "learned", name: "search" } as const;

function world() {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const isKept = (values: object, by = "ann") => store.setLimit(SEARCH, { values: { ...values }, by });
  const kept = async (): Promise<LimitRecord | undefined> => store.readLimit(SEARCH);
  return { runtime, store, isKept, kept };
}

/** A store that counts what it is asked, and answers as `inner` does once `answers` settles. */
function counting(inner: LimitLedger, answers: () => Promise<void> = async () => undefined) {
  const asked = { reads: 0, writes: 0 };
  const store: LimitLedger = {
    readLimit: async (...args) => {
      asked.reads += 1;
      await answers();
      return inner.readLimit(...args);
    },
    setLimit: async (...args) => {
      asked.writes += 1;
      await answers();
      return inner.setLimit(...args);
    },
  };
  return { store, asked };
}

const away = (): Promise<never> => Promise.reject(new Error("the store is away"));

/** Learns 7 calls a second: 10 a second are sent, and then one is refused. */
async function refused(rate: AdaptiveRate, runtime: VirtualRuntime): Promise<void> {
  for (let n = 0; n < 30; n++) {
    await runtime.advance(100);
    rate.tryAcquire()?.success();
  }
  rate.tryAcquire()?.overload();
}

const slow = { type: "aimd", increase: 1e-9 } as const;

describe("an adaptive rate with learned", () => {
  it("starts from what is kept, and goes on learning", async () => {
    const { runtime, store, isKept } = world();
    await isKept({ rate: 50 });
    const near = counting(store, () => new Promise((resolve) => void runtime.setTimer(resolve, 5)));
    const rate = createAdaptiveRate({ name: "search", learned: { store: near.store }, runtime });
    const lowered: object[] = [];
    rate.on("lowered", (event) => lowered.push(event));
    const early = rate.tryAcquire();
    await runtime.advance(6);
    expect(rate.status().rate).toBeCloseTo(50, 6);
    // It went out before the rate was known.
    early?.overload();
    expect(rate.status().rate).toBeCloseTo(50, 6);
    expect(lowered).toEqual([]);
    await runtime.advance(1_000);
    rate.tryAcquire()?.overload();
    expect(rate.status().rate).toBeLessThan(50);
  });

  it("grows slowly from what is kept, and without a jump", async () => {
    const { runtime, store, isKept } = world();
    await isKept({ rate: 50 });
    for (const growth of ["cubic", "aimd"] as const) {
      const rate = createAdaptiveRate({ name: "search", learned: { store }, growth, runtime });
      rate.tryAcquire()?.success();
      for (let n = 0; n < 100; n++) {
        await runtime.advance(10);
        rate.tryAcquire()?.success();
      }
      expect(rate.status().rate).toBeGreaterThan(50);
      expect(rate.status().rate).toBeLessThan(52);
      await rate.stop();
    }
  });

  it("is never lower than its min, and counts nothing of a limit of that name", async () => {
    const { runtime, store, isKept } = world();
    await isKept({ limit: 9 });
    const other = createAdaptiveRate({ name: "search", learned: { store }, runtime });
    other.tryAcquire();
    await isKept({ rate: 0.001 });
    const rate = createAdaptiveRate({ name: "search", learned: { store }, min: 2, runtime });
    rate.tryAcquire();
    await runtime.advance(0);
    expect([other.status().rate, rate.status().rate]).toEqual([Number.POSITIVE_INFINITY, 2]);
  });

  it("caps its throttle at it before the first token", async () => {
    const { runtime, store, isKept } = world();
    await isKept({ rate: 5 });
    const throttle = createThrottle({ name: "search", rate: "100/s", store, runtime });
    const rate = createAdaptiveRate({ name: "search", throttle, learned: { store }, runtime });
    const call = rate.acquire();
    await runtime.advance(5_000);
    await call;
    expect([rate.status().rate, throttle.status().level]).toEqual([5, 5]);
    await rate.stop();
    await throttle.stop();
  });

  it("keeps what it learned when it is stopped or drained, and by nobody's name but the package's", async () => {
    const { runtime, store, kept } = world();
    const rate = createAdaptiveRate({ name: "other", learned: { store, name: "search" }, growth: slow, runtime });
    await refused(rate, runtime);
    expect(await kept()).toBeUndefined();
    await rate.drain();
    const record = await kept();
    expect(record?.values?.["rate"]).toBeCloseTo(7, 1);
    expect(record?.history[0]?.by).toBe("@dt/adaptive");
  });

  it("keeps nothing where nothing was refused, or nothing was called", async () => {
    const { runtime, store } = world();
    const { store: counted, asked } = counting(store);
    const [rate, unused] = [0, 1].map(() => createAdaptiveRate({ learned: { store: counted }, runtime }));
    for (let n = 0; n < 200; n++) {
      await runtime.advance(1_000);
      rate?.tryAcquire()?.success();
    }
    await rate?.stop();
    await unused?.stop();
    expect(asked).toEqual({ reads: 1, writes: 0 });
  });

  it.each<readonly [string, () => Promise<void>]>([
    ["is away", away],
    ["does not answer", () => new Promise<void>(() => undefined)],
  ])("learns by itself where the store %s", async (_, answers) => {
    const { runtime, store } = world();
    const learned = { store: counting(store, answers).store };
    const rate = createAdaptiveRate({ learned, growth: slow, runtime });
    await refused(rate, runtime);
    expect(rate.status()).toMatchObject({ waiting: 0 });
    expect(rate.status().rate).toBeCloseTo(7, 1);
    if (answers === away) await rate.stop();
  });

  it("takes its own word where the store's comes later", async () => {
    const { runtime, store, isKept } = world();
    await isKept({ rate: 500 });
    let answer = (): void => undefined;
    const late = counting(store, () => new Promise((resolve) => (answer = resolve)));
    const rate = createAdaptiveRate({ name: "search", learned: { store: late.store }, growth: slow, runtime });
    await refused(rate, runtime);
    answer();
    await runtime.advance(0);
    expect(rate.status().rate).toBeCloseTo(7, 1);
  });
});

/** Makes a call every second, while the limit moves as `wanted` tells by the second. */
async function limited(
  learned: LearnedOptions,
  runtime: VirtualRuntime,
  seconds: number,
  wanted: (n: number) => number,
) {
  const algorithm = scripted(10);
  const limit = createConcurrencyLimit({ name: "search", algorithm, learned, runtime });
  for (let n = 0; n < seconds; n++) {
    algorithm.wanted = wanted(n);
    const slot = limit.tryAcquire();
    await runtime.advance(1_000);
    slot?.success();
  }
  await runtime.advance(0);
  return limit;
}

describe("a concurrency limit with learned", () => {
  it.each(algorithmNames.filter((name) => name !== "envoy-gradient"))("%s starts from what is kept", async (name) => {
    const { runtime, store, isKept } = world();
    await isKept({ limit: 70 });
    const limit = createConcurrencyLimit({ name: "search", algorithm: name, learned: { store }, runtime });
    const changes: object[] = [];
    limit.on("limit", (event) => changes.push(event));
    limit.tryAcquire();
    expect(limit.limit).toBe(20);
    await runtime.advance(0);
    expect(limit.limit).toBe(70);
    expect(changes).toEqual([{ limit: 70, before: 20, inflight: 1 }]);
    await limit.stop();
  });

  it("keeps to the bounds of its algorithm, and serves those who wait", async () => {
    const { runtime, store, isKept } = world();
    await isKept({ limit: 70 });
    const algorithm = algorithmByName("aimd", { initial: 1, max: 4 });
    const limit = createConcurrencyLimit({ name: "search", algorithm, learned: { store }, runtime });
    const slots = Array.from({ length: 6 }, () => limit.acquire());
    await Promise.all(slots.slice(0, 4));
    expect(limit.status()).toMatchObject({ limit: 4, inflight: 4, waiting: 2 });
    for (const slot of slots) slot.catch(() => undefined);
    await limit.stop();
  });

  it("starts as ever where an algorithm of one's own cannot start from a limit", async () => {
    const { runtime, store, isKept } = world();
    await isKept({ limit: 70 });
    const start = (learned?: number): { readonly limit: number } => {
      if (learned !== undefined) throw new Error("not that one");
      return { limit: 10 };
    };
    const algorithm = { ...scripted(10), start };
    const limit = createConcurrencyLimit({ name: "search", algorithm, learned: { store }, runtime });
    limit.tryAcquire()?.success();
    await runtime.advance(0);
    expect(limit.limit).toBe(10);
    await limit.stop();
  });

  it("writes about once a minute, however often the limit changes", async () => {
    const { runtime, store } = world();
    const { store: counted, asked } = counting(store);
    const limit = await limited({ store: counted }, runtime, 600, (n) => (n % 2 === 0 ? 10 : 10 + n));
    expect(asked.writes).toBeGreaterThanOrEqual(3);
    expect(asked.writes).toBeLessThanOrEqual(10);
    await limit.stop();
  });

  it("writes nothing where the limit has changed by a tenth at most", async () => {
    const { runtime, store } = world();
    const { store: counted, asked } = counting(store);
    const limit = await limited({ store: counted }, runtime, 300, (n) => 10 + (n % 2));
    await limit.stop();
    expect(asked).toEqual({ reads: 1, writes: 0 });
  });

  it("writes nothing that another process has written", async () => {
    const { runtime, store, kept } = world();
    const { store: counted, asked } = counting(store);
    const limits = await Promise.all([1, 2, 3].map(() => limited({ store: counted }, runtime, 100, () => 30)));
    for (const limit of limits) await limit.stop();
    expect(asked.writes).toBe(1);
    expect((await kept())?.values).toEqual({ limit: 30 });
  });

  it("starts as ever from what counts no more, or comes after a window", async () => {
    const { runtime, store, isKept } = world();
    await store.setLimit(SEARCH, { values: { limit: 70 }, by: "ann", forMs: 1_000 });
    await runtime.advance(1_000);
    const over = createConcurrencyLimit({ name: "search", algorithm: "aimd", learned: { store }, runtime });
    over.tryAcquire();
    await runtime.advance(0);
    await isKept({ limit: 70 });
    let answer = (): void => undefined;
    const late = counting(store, () => new Promise((resolve) => (answer = resolve)));
    const limit = await limited({ store: late.store }, runtime, 2, () => 12);
    answer();
    await runtime.advance(0);
    expect([over.limit, limit.limit]).toEqual([20, 12]);
  });

  it("writes when it is stopped, and tries again later where the store was away", async () => {
    const { runtime, store, kept } = world();
    let isAway = true;
    const { store: counted, asked } = counting(store, () => (isAway ? away() : Promise.resolve()));
    const limit = await limited({ store: counted }, runtime, 200, () => 30);
    expect(asked.reads).toBeGreaterThanOrEqual(3);
    isAway = false;
    await limit.stop();
    expect((await kept())?.values).toEqual({ limit: 30 });
  });

  it("stops in order where the store is away", async () => {
    const { runtime, store } = world();
    const limit = await limited({ store: counting(store, away).store }, runtime, 5, () => 30);
    expect(await limit.drain()).toBe(true);
  });
});

it.each<readonly [string, unknown, RegExp]>([
  ["a store without limits", { store: {} }, /learned\.store/],
  ["no store", { name: "a" }, /learned\.store/],
  ["an empty name", { store: new MemoryStore(), name: "" }, /learned\.name/],
  ["another option", { store: new MemoryStore(), every: "1s" }, /learned\.every/],
  ["a store in its place", 5, /learned/],
])("%s is refused", (_, learned, message) => {
  const options = { learned: learned as LearnedOptions };
  for (const make of [() => createAdaptiveRate(options), () => createConcurrencyLimit(options)])
    expect(make).toThrow(
      expect.objectContaining({ code: "DT_INVALID_OPTION", message: expect.stringMatching(message) }),
    );
});
