import { createThrottle, MemoryStore, type Throttle } from "@dt/core";
import { settle, VirtualRuntime } from "@dt/core/testing";
import type { Histogram } from "@opentelemetry/sdk-metrics";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Instrumentation, instrument } from "../src/index.ts";
import { Measurement, valuesOf } from "./measured.ts";

const LABEL = "here";

describe("a throttle's metrics", () => {
  let runtime: VirtualRuntime;
  let store: MemoryStore;
  let throttle: Throttle;
  let measurement: Measurement;
  let measured: Instrumentation;

  beforeEach(async () => {
    runtime = new VirtualRuntime({ seed: 1 });
    store = new MemoryStore({ runtime });
    throttle = createThrottle({ name: "mail", rate: "10/s", store, runtime, learning: 0, maxWaiters: 5 });
    measurement = new Measurement();
    measured = instrument([throttle, store], { meter: measurement.meter, label: LABEL });
    const started = throttle.start();
    await runtime.advance(3_000);
    await started;
  });

  afterEach(async () => {
    measured.stop();
    const stopped = throttle.stop();
    await runtime.advance(3_000);
    await stopped;
    await measurement.provider.shutdown();
  });

  it("are the numbers of its status", async () => {
    for (let call = 0; call < 10; call++) throttle.tryAcquire();
    throttle.tryAcquire();
    const collected = await measurement.collect();
    const own = { "dt.name": "mail", "dt.kind": "throttle", "dt.label": LABEL };
    const status = throttle.status();
    const at = (name: string, more: object = {}) => valuesOf(collected, name, { ...own, ...more });
    expect(at("dt.calls", { "dt.result": "granted" })).toEqual([10]);
    expect(at("dt.calls", { "dt.result": "refused" })).toEqual([1]);
    expect(at("dt.tokens")).toEqual([10]);
    expect(at("dt.limit")).toEqual([10]);
    expect(at("dt.limit.interval")).toEqual([1]);
    expect(at("dt.share")).toEqual([status.share]);
    expect(at("dt.members")).toEqual([1]);
    expect(at("dt.store.valid")).toEqual([1]);
    expect(at("dt.store.hold")).toEqual([0]);
    expect(at("dt.limiting")).toEqual([1]);
    await runtime.advance(1_000);
    const later = await measurement.collect();
    expect(valuesOf(later, "dt.usage", own)).toEqual([10]);
    expect(valuesOf(later, "dt.utilization", own)).toEqual([1]);
    expect(valuesOf(later, "dt.near_limit", own)).toEqual([1]);
  });

  it("count waits in the histogram, by how they came out", async () => {
    for (let call = 0; call < 10; call++) throttle.tryAcquire();
    const waits = [throttle.acquire(1, { priority: 2 }), throttle.acquire(1, { timeout: "10ms" })];
    const ends = Promise.allSettled(waits);
    await settle();
    expect(await measurement.value("dt.queue.size")).toBe(2);
    await runtime.advance(2_000);
    await ends;
    const collected = await measurement.collect();
    expect(valuesOf(collected, "dt.acquire.duration", { "dt.result": "granted", "dt.priority": 2 })).toEqual([1]);
    expect(valuesOf(collected, "dt.acquire.duration", { "dt.result": "timeout" })).toEqual([1]);
    const times = collected.get("dt.acquire.duration")?.map(({ value }) => (value as Histogram).sum ?? 0) ?? [];
    // In seconds: one waited for the next epoch, and one for 10 ms.
    expect(times.toSorted((a, b) => a - b)).toEqual([0.01, expect.closeTo(1, 0.5)]);
    expect(valuesOf(collected, "dt.calls", { "dt.result": "timeout" })).toEqual([1]);
    expect(valuesOf(collected, "dt.store.operation.duration", { "dt.operation": "sync" })[0]).toBeGreaterThan(1);
  });

  it("are not recorded any more once they are stopped", async () => {
    measured.stop();
    for (let call = 0; call < 10; call++) throttle.tryAcquire();
    const late = throttle.acquire(1, { timeout: "10ms" });
    await Promise.all([expect(late).rejects.toThrow(), runtime.advance(5_000)]);
    expect(throttle.status().calls.timedOut).toBe(1);
    const collected = await measurement.collect();
    expect(collected.has("dt.acquire.duration")).toBe(false);
    const syncs = valuesOf(collected, "dt.store.operation.duration", { "dt.operation": "sync" });
    await runtime.advance(5_000);
    expect(await measurement.values("dt.store.operation.duration", { "dt.operation": "sync" })).toEqual(syncs);
  });
});
