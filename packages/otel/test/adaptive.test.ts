import { createAdaptiveRate, createAdaptiveThrottle, createConcurrencyLimit, createGuard, fixed } from "@dt/adaptive";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, it } from "vitest";
import { instrument } from "../src/index.ts";
import { Measurement, valuesOf } from "./measured.ts";

it("the metrics of a real concurrency limit, adaptive rate, adaptive throttle and guard", async () => {
  const runtime = new VirtualRuntime({ seed: 1 });
  const measurement = new Measurement();
  const limit = createConcurrencyLimit({ name: "c", algorithm: fixed(3), runtime });
  const rate = createAdaptiveRate({ name: "r", runtime });
  const rejection = createAdaptiveThrottle({ name: "a", runtime, k: 1.5 });
  const guard = createGuard({ name: "g", runtime });
  instrument([limit, rate, rejection, guard], { meter: measurement.meter });
  for (let call = 0; call < 4; call++) limit.tryAcquire();
  for (let call = 0; call < 200; call++) rejection.tryAcquire()?.overload();
  await guard.tryAcquire();
  guard.pause(1_500);
  const collected = await measurement.collect();
  const of = (kind: string, name: string, more: object = {}) => valuesOf(collected, name, { "dt.kind": kind, ...more });
  expect(of("concurrency", "dt.adaptive.limit")).toEqual([3]);
  expect(of("concurrency", "dt.usage")).toEqual([3]);
  expect(of("concurrency", "dt.utilization")).toEqual([1]);
  expect(of("concurrency", "dt.calls", { "dt.result": "refused" })).toEqual([1]);
  expect(of("concurrency", "dt.limiting")).toEqual([1]);
  // Its rate is infinite while nothing was refused.
  expect(of("adaptiveRate", "dt.adaptive.limit")).toEqual([]);
  expect(of("adaptiveThrottle", "dt.adaptive.rejection.probability")).toEqual([rejection.status().probability]);
  expect(of("adaptiveThrottle", "dt.calls", { "dt.result": "refused" })[0]).toBeGreaterThan(10);
  expect(of("guard", "dt.calls", { "dt.result": "granted" })).toEqual([1]);
  expect(of("guard", "dt.paused")).toEqual([1.5]);
  await Promise.all([limit.stop(), rate.stop(), rejection.stop(), guard.stop()]);
  await measurement.provider.shutdown();
});
