import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { WindowCollector } from "../../src/algorithms/window.ts";

function collector(seed = 1): WindowCollector {
  const runtime = new VirtualRuntime({ seed });
  const window = new WindowCollector(() => runtime.random());
  window.begin(1_000, 3, false);
  return window;
}

test("a window tells its calls, their cost, and where their latencies lie", () => {
  const window = collector();
  for (let ms = 100; ms >= 1; ms--) window.success(ms, 2, undefined);
  expect(window.seen(2_000)).toMatchObject({
    startMs: 1_000,
    endMs: 2_000,
    samples: 100,
    successCost: 200,
    minMs: 1,
    meanMs: 50.5,
    medianMs: 50,
    p90Ms: 90,
    maxInflight: 3,
    limited: false,
    reports: 0,
    queueWaitMs: Number.NaN,
  });
});

test("a window without a sample has no latencies: they are NaN", () => {
  const window = collector();
  window.overload(4);
  const none = { samples: 0, minMs: Number.NaN, meanMs: Number.NaN, medianMs: Number.NaN, p90Ms: Number.NaN };
  expect(window.seen(1_100)).toMatchObject({ ...none, overloads: 1, overloadCost: 4 });
});

test("an answer within a tenth of a millisecond is noise of the clock, and no sample", () => {
  const window = collector();
  window.ended(0.05, 1, "success", { queueWaitMs: 1 });
  window.ended(0, 1, "success", undefined);
  expect(window.size).toBe(0);
  window.ended(0.2, 1, "success", undefined);
  expect(window.seen(1_100)).toMatchObject({ samples: 1, minMs: 0.2, reports: 0 });
});

test("the callee's word counts where it is a number of milliseconds, and else not at all", () => {
  const window = collector();
  for (const said of [10, 30, Number.NaN, -5, Number.POSITIVE_INFINITY, undefined, "12" as unknown as number])
    window.success(50, 1, said);
  expect(window.seen(1_100)).toMatchObject({ samples: 7, reports: 2, queueWaitMs: 20 });
});

test("a new window begins with nothing but what is in flight", () => {
  const window = collector();
  window.success(500, 1, 3);
  window.overload(1);
  window.begin(5_000, 7, true);
  window.success(20, 1, undefined);
  const fresh = { samples: 1, minMs: 20, medianMs: 20, p90Ms: 20, overloads: 0, reports: 0, maxInflight: 7 };
  expect(window.seen(5_100)).toMatchObject({ ...fresh, limited: true });
});

test("of a hundred thousand latencies those that are kept stand for all, those that came first no more than the last", () => {
  const window = collector();
  for (let i = 0; i < 100_000; i++) window.success(i < 50_000 ? 10 : 1_000, 1, undefined);
  for (let i = 0; i < 20_000; i++) window.success(5_000, 1, undefined);
  const seen = window.seen(2_000);
  expect(seen.samples).toBe(120_000);
  expect(seen.medianMs).toBe(1_000);
  expect(seen.p90Ms).toBe(5_000);
});

test("the floor is the fastest of twelve, however many samples there are", () => {
  const few = new WindowCollector(() => 0.5);
  const many = new WindowCollector(() => 0.5);
  for (const ms of [30, 10, 20]) few.ended(ms, 1, "success", undefined);
  for (let i = 0; i < 100; i++) many.ended(i === 0 ? 1 : 50 + (i % 12), 1, "success", undefined);
  expect(few.seen(100).floorMs).toBe(10);
  expect(many.seen(100)).toMatchObject({ minMs: 1, floorMs: 50 });
  many.begin(100, 0, false);
  expect(many.seen(200).floorMs).toBeNaN();
});

test("a call that waited for a twentieth of its latency or less found the callee idle", () => {
  const window = new WindowCollector(() => 0.5);
  for (const queueWaitMs of [0, 5, 5.1, 50]) window.ended(100, 1, "success", { queueWaitMs });
  expect(window.seen(100)).toMatchObject({ reports: 4, unqueued: 2 });
});
