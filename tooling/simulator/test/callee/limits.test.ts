import { createConcurrencyLimit, fixed, type SampleWindow } from "@dt/adaptive";
import { describe, expect, it } from "vitest";
import { limiterNamed, run } from "../../src/callee/index.ts";
import { open, scenario } from "./support.ts";

const OVERLOAD = scenario({ servers: 8, service: { kind: "exponential", meanMs: 20 } }, open(800), {
  timeoutMs: 500,
  seconds: 40,
});

describe("the real limit in the world", () => {
  it.each([true, false])("sees what the world says: calls, latency, queue waits (signal: %s)", (signal) => {
    const windows: SampleWindow[] = [];
    const book = run(
      { ...OVERLOAD, measured: { fromSeconds: 0, toSeconds: 40 } },
      {
        seed: 1,
        signal,
        admission: (runtime) => {
          const limit = createConcurrencyLimit({ algorithm: fixed(16), runtime });
          limit.on("window", ({ window }) => windows.push(window));
          return { enter: (cost) => limit.tryAcquire(cost), limit: limit.limit };
        },
      },
    );
    const sum = (value: (window: SampleWindow) => number): number =>
      windows.reduce((total, window) => total + value(window), 0);
    const samples = sum((window) => window.samples);
    // The last window was still open at the end.
    expect(samples).toBeGreaterThan(0.97 * book.counts.succeeded);
    expect(samples).toBeLessThanOrEqual(book.counts.succeeded);
    const meanLatency = book.latencyMs.values.reduce((total, ms) => total + ms, 0) / book.latencyMs.size;
    expect(sum((window) => window.samples * window.meanMs) / samples / meanLatency).toBeCloseTo(1, 2);
    expect(Math.max(...windows.map((window) => window.maxInflight))).toBe(16);
    const reports = sum((window) => window.reports);
    if (signal) {
      expect(reports).toBe(samples);
      const waitMs = sum((window) => window.reports * window.queueWaitMs) / reports;
      expect(waitMs / (book.waitMs / book.started)).toBeCloseTo(1, 1);
    } else expect(reports).toBe(0);
  });

  it("is told that calls that timed out are overload, and learns nothing from those that fail", () => {
    const outcomes = { overloads: 0, samples: 0 };
    const failing = { ...OVERLOAD, callee: { ...OVERLOAD.callee, failures: 0.5 }, timeoutMs: 30 };
    const book = run(
      { ...failing, measured: { fromSeconds: 0, toSeconds: 40 } },
      {
        seed: 1,
        signal: false,
        admission: (runtime) => {
          const limit = createConcurrencyLimit({ algorithm: fixed(12), runtime });
          limit.on("window", ({ window }) => {
            outcomes.overloads += window.overloads;
            outcomes.samples += window.samples;
          });
          return { enter: (cost) => limit.tryAcquire(cost), limit: limit.limit };
        },
      },
    );
    expect(book.counts.failed).toBeGreaterThan(10_000);
    // Its windows take a second; of forty, the last was still open at the end.
    expect(outcomes.overloads / book.counts.timedOut).toBeGreaterThan(0.97);
    expect(outcomes.overloads).toBeLessThanOrEqual(book.counts.timedOut);
    expect(outcomes.samples / book.counts.succeeded).toBeGreaterThan(0.97);
    expect(outcomes.samples).toBeLessThanOrEqual(book.counts.succeeded);
  });

  it("is known by name, with the signal or without", () => {
    expect(limiterNamed("vegas")).toMatchObject({ name: "vegas", signal: false });
    expect(limiterNamed("automatic+signal")).toMatchObject({ name: "automatic+signal", signal: true });
    expect(limiterNamed("fixed:0")).toBeUndefined();
    expect(limiterNamed("fixed:x")).toBeUndefined();
    expect(limiterNamed("reno")).toBeUndefined();
  });
});
