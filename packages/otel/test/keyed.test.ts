import { MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { createKeyed } from "@dt/keyed";
import { expect, it } from "vitest";
import { instrument } from "../src/index.ts";
import { Measurement, valuesOf } from "./measured.ts";

const KEYS = 10_000;

/** Two calls for each of many keys, of which each may have one. */
async function measuredKeys(keys?: { readonly max: number }) {
  const runtime = new VirtualRuntime({ seed: 1 });
  const store = new MemoryStore({ runtime });
  const limits = createKeyed({ name: "api", store, runtime, limit: { rate: "1/h", burst: 1 } });
  const measurement = new Measurement();
  const measured = instrument(limits, { meter: measurement.meter, keys });
  const all = Array.from({ length: 2 * KEYS }, (_, call) => limits.check(`tenant ${call % KEYS}`));
  await runtime.advance(1_000);
  const answers = await Promise.all(all);
  expect(answers.filter(({ allowed }) => allowed)).toHaveLength(KEYS);
  const collected = await measurement.collect();
  measured.stop();
  await limits.stop();
  await store.close();
  await measurement.provider.shutdown();
  return collected;
}

it("no key of 10,000 is in any metric, unless keys are asked for", async () => {
  const collected = await measuredKeys();
  expect(valuesOf(collected, "dt.calls", { "dt.kind": "keyed", "dt.result": "granted" })).toEqual([KEYS]);
  expect(valuesOf(collected, "dt.calls", { "dt.kind": "keyed", "dt.result": "refused" })).toEqual([KEYS]);
  expect(collected.has("dt.keyed.refusals")).toBe(false);
  const points = [...collected.values()].flat();
  expect(points.length).toBeLessThan(50);
  expect(JSON.stringify(points.map(({ attributes }) => attributes))).not.toContain("tenant");
});

it("with keys asked for so many are told apart, and all others are one", async () => {
  const collected = await measuredKeys({ max: 100 });
  const refusals = collected.get("dt.keyed.refusals") ?? [];
  expect(refusals).toHaveLength(101);
  expect(valuesOf(collected, "dt.keyed.refusals", { "dt.overflow": true, "dt.key": "__overflow__" })).toEqual([
    KEYS - 100,
  ]);
  expect(valuesOf(collected, "dt.keyed.refusals", { "dt.key": "tenant 0", "dt.result": "refused" })).toEqual([1]);
});

it("the limiter of one key is no source: the limit of all keys has its calls", async () => {
  const store = new MemoryStore();
  const limits = createKeyed({ name: "api", store, limit: { rate: "1/h", burst: 1 } });
  expect(() => instrument(limits.for("tenant 7"))).toThrow("give the keyed limit, and keys: { max }");
  await limits.stop();
  await store.close();
});
