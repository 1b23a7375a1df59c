import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { createConcurrencyLimit, type Slot } from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

/** One call after the other, each of so many milliseconds. */
async function calls(limit: { tryAcquire(): Slot | undefined }, runtime: VirtualRuntime, times: number, ms: number) {
  for (let i = 0; i < times; i++) {
    const slot = limit.tryAcquire();
    await runtime.advance(ms);
    slot?.success();
  }
}

test("a window is closed by the call that ends when it is long enough and has enough samples", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(10, { minMs: 100, minSamples: 3 });
  const limit = createConcurrencyLimit({ algorithm, runtime });
  await calls(limit, runtime, 2, 60);
  expect(algorithm.seen).toHaveLength(0);
  await calls(limit, runtime, 1, 60);
  expect(algorithm.seen).toMatchObject([{ startMs: 0, endMs: 180, samples: 3, medianMs: 60, maxInflight: 1 }]);
  await calls(limit, runtime, 9, 10);
  expect(algorithm.seen).toHaveLength(1);
});

test("with too few samples a window is closed at its longest, if it has any", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(10, { minMs: 100, minSamples: 50, maxMs: 500 });
  const limit = createConcurrencyLimit({ algorithm, runtime });
  await calls(limit, runtime, 5, 90);
  expect(algorithm.seen).toHaveLength(0);
  await calls(limit, runtime, 1, 90);
  expect(algorithm.seen).toMatchObject([{ samples: 6, endMs: 540 }]);
});

test("where calls take long, the bounds of a window are latencies", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(10, { minMs: 100, minSamples: 5, maxMs: 500, maxLatencies: 4 });
  const limit = createConcurrencyLimit({ algorithm, runtime });
  await calls(limit, runtime, 3, 20_000);
  expect(algorithm.seen).toHaveLength(0);
  await calls(limit, runtime, 1, 20_000);
  expect(algorithm.seen).toMatchObject([{ samples: 4, endMs: 80_000 }]);
});

test("a window may be told to last for a part of a latency, however many samples it has", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(100, { minMs: 100, minLatencies: 0.5, minSamples: 2 });
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const slots = Array.from({ length: 6 }, () => limit.tryAcquire());
  await runtime.advance(4_000);
  for (const slot of slots.slice(0, 3)) slot?.success();
  expect(algorithm.seen).toMatchObject([{ samples: 1, meanMs: 4_000 }]);
  await runtime.advance(1_000);
  slots[3]?.success();
  expect(algorithm.seen).toHaveLength(1);
  await runtime.advance(1_500);
  slots[4]?.success();
  expect(algorithm.seen).toHaveLength(2);
});

test("a window does not count the time in which there was nothing to do", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(10, { minMs: 100, minSamples: 2 });
  const limit = createConcurrencyLimit({ algorithm, runtime });
  await calls(limit, runtime, 1, 40);
  await runtime.advance(3_600_000);
  await calls(limit, runtime, 2, 60);
  expect(algorithm.seen).toMatchObject([{ startMs: 3_600_040, endMs: 3_600_160, samples: 2 }]);
});

test("a new limit holds at once, and is never below one", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(4);
  const limit = createConcurrencyLimit({ algorithm, runtime });
  algorithm.wanted = 0.2;
  await calls(limit, runtime, 1, 100);
  expect(limit.limit).toBe(1);
  const slot = limit.tryAcquire();
  expect(limit.tryAcquire()).toBeUndefined();
  slot?.ignored();
});

test("after a cut nothing more goes out until what is pending has come down to the new limit", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(30);
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const slots = Array.from({ length: 30 }, () => limit.tryAcquire());
  await runtime.advance(100);
  algorithm.wanted = 15;
  slots.pop()?.success();
  expect([limit.limit, limit.inflight]).toEqual([15, 29]);
  while (limit.inflight > 15) {
    expect(limit.tryAcquire()).toBeUndefined();
    slots.pop()?.ignored();
  }
  expect(limit.tryAcquire()).toBeUndefined();
  slots.pop()?.ignored();
  expect(limit.tryAcquire()).toBeDefined();
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  "an algorithm that says %s is not heard: the limit stays",
  async (wanted) => {
    const runtime = new VirtualRuntime();
    const algorithm = scripted(4);
    const limit = createConcurrencyLimit({ algorithm, runtime });
    algorithm.wanted = wanted;
    await calls(limit, runtime, 1, 100);
    expect(limit.status()).toMatchObject({ limit: 4, lastError: { code: "DT_INVALID_OPTION" } });
    expect(() => createConcurrencyLimit({ algorithm: scripted(wanted) })).toThrow(/no finite number/);
  },
);

test("an algorithm that throws fails no call", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(4);
  const broken = { ...algorithm, next: () => Math.fround(Symbol.iterator as unknown as number) as never };
  const limit = createConcurrencyLimit({ algorithm: broken, runtime });
  await calls(limit, runtime, 2, 100);
  const { limit: current, inflight, lastError } = limit.status();
  expect([current, inflight]).toEqual([4, 0]);
  expect(lastError?.cause).toBeInstanceOf(TypeError);
});

test("failures and ignored calls are no samples, overloads are no latencies", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(10, { minMs: 100, minSamples: 1 });
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const [failed, ignored, refused, fine] = [1, 2, 3, 4].map((cost) => limit.tryAcquire(cost));
  await runtime.advance(2);
  failed?.failure();
  ignored?.ignored();
  refused?.overload();
  await runtime.advance(98);
  fine?.success({ queueWaitMs: 12.5 });
  expect(algorithm.seen).toMatchObject([
    { samples: 1, minMs: 100, successCost: 4, overloads: 1, overloadCost: 3, reports: 1, queueWaitMs: 12.5 },
  ]);
});

test("a window knows what was in flight when it began, also when nothing was let through since", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(30);
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const slots = Array.from({ length: 12 }, () => limit.tryAcquire());
  for (const slot of slots.slice(0, 2)) {
    await runtime.advance(100);
    slot?.success();
  }
  expect(algorithm.seen.map(({ maxInflight }) => maxInflight)).toEqual([12, 11]);
});

test("a window says whether somebody was kept waiting, also somebody who waits since before it began", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(1);
  const limit = createConcurrencyLimit({ algorithm, runtime });
  await calls(limit, runtime, 1, 100);
  const slot = limit.tryAcquire();
  const waiting = [limit.acquire(), limit.acquire(), limit.acquire()];
  await runtime.advance(100);
  slot?.success();
  for (const next of waiting) {
    await runtime.advance(100);
    (await next).success();
  }
  await calls(limit, runtime, 1, 100);
  expect(algorithm.seen.map(({ limited }) => limited)).toEqual([false, true, true, true, true, false]);
});
