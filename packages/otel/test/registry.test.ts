import { channel } from "node:diagnostics_channel";
import { createThrottle, MemoryStore, type Throttle } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { DiagLogLevel, diag, metrics } from "@opentelemetry/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { instrument, type MetricSource } from "../src/index.ts";
import { Measurement, valuesOf } from "./measured.ts";

const calls = (granted: number) => ({ granted, waited: 0, refused: 0, timedOut: 0, canceled: 0, storeError: 0 });

/** A guard made by hand: the kind with the fewest numbers. */
function guard(name: string, over: object = {}): MetricSource & { granted: number; state: string } {
  const source = {
    granted: 0,
    state: "running",
    status: () => {
      if (source.state === "throwing") throw new Error("no status today");
      return {
        ...{ kind: "guard", name, state: source.state, waiting: 1, limiting: true, pausedForMs: 500 },
        calls: calls(source.granted),
        ...over,
      };
    },
  };
  return source;
}

describe("instrument", () => {
  let measurement: Measurement;
  beforeEach(() => {
    measurement = new Measurement();
  });
  afterEach(() => measurement.provider.shutdown());
  const options = () => ({ meter: measurement.meter, label: "here" });

  it("makes no instrument twice, and reads a source once, however often it is called", async () => {
    let looks = 0;
    const one = guard("one");
    const { status } = one as unknown as { status: () => object };
    const counting = Object.assign(one, {
      status: () => {
        looks += 1;
        return status();
      },
    });
    one.granted = 3;
    const first = instrument(counting, options());
    const second = instrument([counting, guard("two")], options());
    second.add(counting);
    looks = 0;
    const collected = await measurement.collect();
    expect(looks).toBe(1);
    expect(valuesOf(collected, "dt.calls", { "dt.name": "one", "dt.result": "granted" })).toEqual([3]);
    first.stop();
    expect(await measurement.values("dt.calls", { "dt.name": "one", "dt.result": "granted" })).toEqual([3]);
    second.stop();
    second.stop();
    await measurement.collect();
    looks = 0;
    await measurement.collect();
    expect(looks).toBe(0);
  });

  it("adds up limiters of one name, and does not let their counts fall when one of them has stopped", async () => {
    const [old, young] = [guard("mail"), guard("mail")];
    const measured = instrument([old, young], options());
    old.granted = 5;
    young.granted = 2;
    const granted = () => measurement.value("dt.calls", { "dt.result": "granted" });
    expect(await granted()).toBe(7);
    expect(await measurement.value("dt.queue.size")).toBe(2);
    expect(await measurement.value("dt.limiting")).toBe(1);
    old.granted = 6;
    old.state = "stopped";
    expect(await granted()).toBe(8);
    young.granted = 3;
    expect(await granted()).toBe(9);
    expect(await measurement.value("dt.queue.size")).toBe(1);
    measured.remove(young);
    expect(await granted()).toBe(9);
  });

  it("reports a limiter that was stopped once more, with gauges that mean nothing, and then no more", async () => {
    const source = guard("job");
    instrument(source, options());
    await measurement.collect();
    source.granted = 4;
    source.state = "stopped";
    const last = await measurement.collect();
    expect(valuesOf(last, "dt.calls", { "dt.result": "granted" })).toEqual([4]);
    expect(valuesOf(last, "dt.limiting")).toEqual([0]);
    expect(valuesOf(last, "dt.paused")).toEqual([0]);
    source.granted = 100;
    expect(await measurement.value("dt.calls", { "dt.result": "granted" })).toBe(4);
  });

  it("tells labels apart, and meters", async () => {
    const source = guard("mail");
    instrument(source, { ...options(), label: "a" });
    instrument(source, { ...options(), label: "b" });
    expect(await measurement.values("dt.queue.size", { "dt.label": "a" })).toEqual([1]);
    expect(await measurement.values("dt.queue.size")).toEqual([1, 1]);
    const other = new Measurement();
    instrument(source, { meter: other.meter });
    expect(await other.values("dt.queue.size")).toEqual([1]);
    await other.provider.shutdown();
  });

  it("reads the others where one throws or has numbers that are none", async () => {
    const throwing = guard("throwing");
    const measured = instrument([throwing, guard("fine")], options());
    const warned: unknown[] = [];
    const log = (...said: unknown[]): void => void warned.push(said);
    diag.setLogger({ error: log, warn: log, info: log, debug: log, verbose: log }, DiagLogLevel.WARN);
    throwing.state = "throwing";
    const longest = "n".repeat(1_024);
    const named = guard(longest, { waiting: Number.NaN, pausedForMs: Number.POSITIVE_INFINITY, calls: calls(-1) });
    measured.add(named);
    measured.add(guard('<b>"quoted"\n</b>', { calls: undefined }));
    for (const _ of [1, 2]) {
      const collected = await measurement.collect();
      expect(valuesOf(collected, "dt.queue.size", { "dt.name": "fine" })).toEqual([1]);
      expect(valuesOf(collected, "dt.queue.size", { "dt.name": "throwing" })).toEqual([]);
      expect(valuesOf(collected, "dt.queue.size", { "dt.name": longest })).toEqual([]);
      expect(valuesOf(collected, "dt.paused", { "dt.name": longest })).toEqual([]);
      expect(valuesOf(collected, "dt.calls", { "dt.name": longest, "dt.result": "granted" })).toEqual([]);
      expect(valuesOf(collected, "dt.limiting", { "dt.name": longest })).toEqual([1]);
    }
    // Once, and not with every collection.
    expect(warned).toHaveLength(1);
    diag.disable();
    measured.remove(throwing);
    expect(await measurement.values("dt.queue.size", { "dt.name": "fine" })).toEqual([1]);
  });

  it("refuses what it cannot measure, with a remedy", () => {
    const refused = (source: unknown, more: object = {}) =>
      expect(() => instrument(source as MetricSource, { ...options(), ...more }));
    refused(undefined).not.toThrow();
    refused(null).toThrow("source is null; give a limiter, a store");
    refused([7]).toThrow("source is 7; give a limiter, a store");
    refused({}).toThrow("give a limiter, a store");
    refused({ status: () => ({ kind: "toString", name: "x" }) }).toThrow("give a limiter, a store");
    refused({
      status: () => {
        throw new Error("no");
      },
    }).toThrow("source could not be read");
    refused([], { labels: "x" }).toThrow("did you mean label");
    refused([], { label: "" }).toThrow("label is");
    refused([], { meter: {} }).toThrow("meter is an object; give a Meter of @opentelemetry/api");
    refused([], { keys: 100 }).toThrow("keys");
    refused([], { keys: { max: 0 } }).toThrow("keys.max is 0; give a whole number from 1 to 10000");
    refused([], { keys: { max: 10_001 } }).toThrow("keys.max");
  });

  it("leaves nothing behind where one of several sources is refused", async () => {
    expect(() => instrument([guard("fine"), 7 as unknown as MetricSource], options())).toThrow("source is 7");
    await measurement.collect();
    expect((await measurement.collect()).get("dt.queue.size")?.map(({ value }) => value) ?? []).not.toContain(1);
  });
});

describe("without an SDK", () => {
  it("nothing is measured, and nothing fails", () => {
    metrics.disable();
    const source = guard("mail");
    const measured = instrument([source, new MemoryStore()]);
    measured.remove(source);
    measured.stop();
  });
});

describe("the hot path", () => {
  let runtime: VirtualRuntime;
  let throttle: Throttle;

  it("has no listener, and no look at why there are no tokens", async () => {
    runtime = new VirtualRuntime({ seed: 1 });
    const store = new MemoryStore({ runtime });
    throttle = createThrottle({ name: "hot", rate: "1/s", store, runtime, learning: 0 });
    const listened: string[] = [];
    const { on } = throttle;
    throttle.on = (name, listener) => {
      listened.push(name);
      return on.call(throttle, name, listener as never);
    };
    let looks = 0;
    const { status } = throttle;
    throttle.status = () => {
      looks += 1;
      return status.call(throttle);
    };
    const measurement = new Measurement();
    const measured = instrument(throttle, { meter: measurement.meter });
    expect(listened.toSorted()).toEqual(["decided", "limitChanged"]);
    for (const event of ["grant", "decided", "deposit", "blocked"])
      expect(channel(`dt:throttle:${event}`).hasSubscribers).toBe(false);
    await measurement.collect();
    expect(looks).toBe(0);
    measured.stop();
    await throttle.stop();
    await measurement.provider.shutdown();
  });
});
