import { createBudget } from "@dt/budget";
import { createPacer, createSemaphore, createThrottle, MemoryStore, setLimit } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { instrument, type MetricSource } from "../src/index.ts";
import { Measurement, valuesOf } from "./measured.ts";

const ENOUGH_MS = 5_000;

describe("the metrics of a real", () => {
  let runtime: VirtualRuntime;
  let store: MemoryStore;
  let measurement: Measurement;

  beforeEach(() => {
    runtime = new VirtualRuntime({ seed: 1 });
    store = new MemoryStore({ runtime });
    measurement = new Measurement();
  });
  afterEach(() => measurement.provider.shutdown());

  /** Measures a limiter, and gives the values of one instrument of a collection. */
  function measured(source: MetricSource) {
    instrument(source, { meter: measurement.meter, label: "here" });
    return async () => {
      const collected = await measurement.collect();
      return (name: string, attributes: object = {}) =>
        valuesOf(collected, name, { ...attributes, "dt.label": "here" });
    };
  }

  async function passing<T>(promise: Promise<T>, ms = ENOUGH_MS): Promise<T> {
    promise.catch(() => undefined);
    await runtime.advance(ms);
    return promise;
  }

  it("semaphore", async () => {
    const slots = createSemaphore({ name: "s", max: 2, store, runtime, learning: 0, maxWaiters: 7 });
    const look = measured(slots);
    const held = await passing(slots.acquire(2));
    const late = passing(slots.acquire(1, { timeout: "1s" }));
    await expect(late).rejects.toThrow();
    const at = await look();
    expect(at("dt.slots.in_use")).toEqual([2]);
    expect(at("dt.slots.held")).toEqual([slots.status().held]);
    expect(at("dt.limit")).toEqual([2]);
    expect(at("dt.utilization")).toEqual([1]);
    expect(at("dt.members")).toEqual([1]);
    expect(at("dt.limiting")).toEqual([1]);
    expect(at("dt.queue.capacity")).toEqual([7]);
    expect(at("dt.store.valid")).toEqual([1]);
    expect(at("dt.calls", { "dt.result": "timeout" })).toEqual([1]);
    expect(at("dt.acquire.duration", { "dt.result": "timeout" })).toEqual([1]);
    held.release();
    await passing(slots.stop());
  });

  it("pacer, and its limit that is changed in the store", async () => {
    const pacer = createPacer({ name: "p", every: "100ms", store, runtime, stored: true });
    const look = measured(pacer);
    await passing(Promise.all(Array.from({ length: 5 }, () => pacer.acquire())));
    const at = await look();
    expect(at("dt.calls", { "dt.result": "granted" })).toEqual([5]);
    expect(at("dt.permits.reserved")[0]).toBeGreaterThanOrEqual(5);
    expect(at("dt.permits.wasted")).toEqual([0]);
    expect(at("dt.limit")).toEqual([10]);
    expect(at("dt.limit.interval")).toEqual([1]);
    expect(at("dt.acquire.duration", { "dt.result": "granted" })[0]).toBeGreaterThan(1);
    await passing(setLimit(store, { kind: "pacer", name: "p" }, { everyMs: 200 }, { by: "test" }));
    await passing(pacer.acquire());
    const later = await look();
    expect(later("dt.limit")).toEqual([5]);
    expect(later("dt.limit.changes")[0]).toBeGreaterThanOrEqual(1);
    await passing(pacer.stop());
  });

  it("budget", async () => {
    const limits = { requests: { rate: "10/min", burst: 10 }, tokens: { rate: "1000/min", burst: 1_000 } } as const;
    const budget = createBudget({ name: "b", limits, store, runtime });
    const look = measured(budget);
    const lease = await passing(budget.acquire({ requests: 1, tokens: 400 }));
    lease.settle({ requests: 1, tokens: 1_500 });
    await runtime.advance(ENOUGH_MS);
    const late = passing(budget.acquire({ requests: 1, tokens: 100 }, { timeout: "1s" }));
    await expect(late).rejects.toThrow();
    const at = await look();
    const tokens = { "dt.limit.name": "tokens" };
    expect(at("dt.limit", tokens)).toEqual([1_000]);
    expect(at("dt.budget.reserved", tokens)).toEqual([400]);
    expect(at("dt.budget.settled", tokens)).toEqual([1_500]);
    expect(at("dt.budget.settled", { "dt.limit.name": "requests" })).toEqual([1]);
    expect(at("dt.budget.rest", tokens)[0]).toBeLessThan(0);
    expect(at("dt.budget.debt", tokens)[0]).toBeGreaterThan(300);
    expect(at("dt.budget.debt", { "dt.limit.name": "requests" })).toEqual([0]);
    expect(at("dt.limiting")).toEqual([1]);
    expect(at("dt.calls", { "dt.result": "granted" })).toEqual([1]);
    await passing(budget.stop());
  });

  it("budget that is on trial", async () => {
    const limits = { requests: { rate: "1/min", burst: 1 } } as const;
    const budget = createBudget({ name: "b", limits, store, runtime, enforce: false });
    const look = measured(budget);
    for (let call = 0; call < 3; call++) (await passing(budget.acquire({ requests: 1 }))).settle();
    expect((await look())("dt.would_refuse")).toEqual([2]);
    await passing(budget.stop());
  });

  it("throttle on a store that is away, and whose limit is changed", async () => {
    const throttle = createThrottle({ name: "t", max: 10, store, runtime, learning: 0, stored: true });
    const look = measured(throttle);
    await passing(throttle.start());
    await passing(setLimit(store, { kind: "throttle", name: "t" }, { max: 6 }, { by: "test" }));
    const at = await look();
    expect(at("dt.limit")).toEqual([6]);
    expect(at("dt.limit.changes")).toEqual([1]);
    expect(at("dt.store.valid")).toEqual([1]);
    await store.close();
    await runtime.advance(20_000);
    expect((await look())("dt.store.valid")).toEqual([0]);
    await passing(throttle.stop());
  });
});
