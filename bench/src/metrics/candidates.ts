import { setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "@dt/core";
import { PLENTY, type Prepared, type SynchronousCandidate } from "../hot-path/candidate.ts";

/** So often the measured throttle is read, in milliseconds: a hundred times as often as a Prometheus would. */
export const READ_EVERY_MS = 150;

/** A throttle alone in its group, past its first epoch, with its background syncs running. */
async function runningThrottle(): Promise<Throttle> {
  const { createThrottle, MemoryStore } = await import("@dt/core");
  const throttle = createThrottle({ name: "bench", max: PLENTY, store: new MemoryStore() });
  await throttle.start();
  while (throttle.status().share < PLENTY) await sleep(10);
  return throttle;
}

/** A provider of the SDK that is read now and then, for nobody. */
async function runningProvider() {
  const { MeterProvider, PeriodicExportingMetricReader } = await import("@opentelemetry/sdk-metrics");
  const exporter = {
    export: (_: unknown, done: (result: { code: number }) => void) => done({ code: 0 }),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: READ_EVERY_MS,
    exportTimeoutMillis: READ_EVERY_MS,
  });
  return new MeterProvider({ readers: [reader] });
}

async function bare(): Promise<Prepared<() => boolean>> {
  const throttle = await runningThrottle();
  return { operation: () => throttle.tryAcquire(), close: () => throttle.stop() };
}

async function measured(): Promise<Prepared<() => boolean>> {
  const [throttle, provider] = await Promise.all([runningThrottle(), runningProvider()]);
  const { instrument } = await import("@dt/otel");
  const measuring = instrument(throttle, { meter: provider.getMeter("bench") });
  const close = async (): Promise<void> => {
    measuring.stop();
    await provider.shutdown();
    await throttle.stop();
  };
  return { operation: () => throttle.tryAcquire(), close };
}

async function counted(): Promise<Prepared<() => boolean>> {
  const [throttle, provider] = await Promise.all([runningThrottle(), runningProvider()]);
  const counter = provider.getMeter("bench").createCounter("calls");
  const attributes = { name: "bench", result: "granted" };
  const operation = (): boolean => {
    const granted = throttle.tryAcquire();
    if (granted) counter.add(1, attributes);
    return granted;
  };
  const close = async (): Promise<void> => {
    await provider.shutdown();
    await throttle.stop();
  };
  return { operation, close };
}

const CONFIGURATION = "MemoryStore, max 1e9 in 1 s; epochs and syncs go on during the measurement";
const READ = `the SDK reads it every ${READ_EVERY_MS} ms`;
const core = { package: "@dt/core", keepsTime: true } as const;

/** The floor: no metrics. */
export const without: SynchronousCandidate = {
  ...core,
  name: "tryAcquire, no metrics",
  configuration: CONFIGURATION,
  prepare: bare,
};

/** The same once more: how far two measurements of one thing are apart. */
export const again: SynchronousCandidate = {
  ...core,
  name: "tryAcquire, no metrics, once more",
  configuration: "the same, to show how far two measurements of one thing are apart",
  prepare: bare,
};

export const withMetrics: SynchronousCandidate = {
  ...core,
  name: "tryAcquire, measured by @dt/otel",
  configuration: `the same, and \`instrument(throttle)\`; ${READ}`,
  prepare: measured,
};

/** What metrics cost that count each call. */
export const countedEach: SynchronousCandidate = {
  ...core,
  name: "tryAcquire, and a counter for each call",
  configuration: `the same, and \`counter.add(1, attributes)\` of OpenTelemetry for each grant; ${READ}`,
  // Its memory is counted over ten times as many, which must end before the share does.
  iterations: 100_000,
  prepare: counted,
};

/** Candidates of the same throttle, with and without metrics; the floor first. */
export const metricsCandidates: readonly SynchronousCandidate[] = [without, again, withMetrics, countedEach];
