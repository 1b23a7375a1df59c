import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import {
  type ConcurrencyLimit,
  type ConcurrencyLimitOptions,
  createConcurrencyLimit,
  fixed,
  type SlotOptions,
} from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

const limitWith = (options: Partial<ConcurrencyLimitOptions> = {}) =>
  createConcurrencyLimit({ algorithm: fixed(1), runtime: new VirtualRuntime(), ...options });

/** Callers by name: each that is served says so, and ends at once. */
function callers(limit: ConcurrencyLimit) {
  const log: string[] = [];
  const come = (name: string, { cost, ...options }: SlotOptions & { cost?: number } = {}) =>
    limit.acquire(cost, options).then(
      (slot) => {
        log.push(name);
        slot.ignored();
      },
      (error) => void log.push(`${name}: ${error.code ?? error.message}`),
    );
  return { log, come };
}

test("callers are served in the order they came", async () => {
  const limit = limitWith();
  const { log, come } = callers(limit);
  const slot = await limit.acquire();
  const all = ["a", "b", "c", "d"].map((name) => come(name));
  slot.success();
  await Promise.all(all);
  expect(log).toEqual(["a", "b", "c", "d"]);
});

test("callers that give up with one signal get no slot of each other, and leave the queue once", async () => {
  const limit = createConcurrencyLimit({ algorithm: fixed(2), runtime: new VirtualRuntime() });
  const { log, come } = callers(limit);
  const slot = await limit.acquire();
  const controller = new AbortController();
  const { signal } = controller;
  const all = [come("costly", { cost: 2, signal }), come("small", { signal }), come("next"), come("last")];
  controller.abort(new Error("gone"));
  await Promise.all(all);
  expect(log.toSorted()).toEqual(["costly: gone", "last", "next", "small: gone"]);
  slot.success();
  expect(limit.status()).toMatchObject({ waiting: 0, inflight: 0 });
  expect(await limit.drain()).toBe(true);
});

test("with lifo whoever came last is served first", async () => {
  const limit = limitWith({ order: "lifo" });
  const { log, come } = callers(limit);
  const slot = await limit.acquire();
  const all = ["a", "b", "c", "d"].map((name) => come(name));
  slot.success();
  await Promise.all(all);
  expect(log).toEqual(["d", "c", "b", "a"]);
});

test("the queue has a bound, and says so", async () => {
  const limit = limitWith({ maxWaiters: 2 });
  const { log, come } = callers(limit);
  const slot = await limit.acquire();
  const all = ["a", "b", "c"].map((name) => come(name));
  slot.success();
  await Promise.all(all);
  expect(log).toEqual(["c: DT_QUEUE_FULL", "a", "b"]);
});

test("one that is aborted leaves the queue with the signal's reason", async () => {
  const limit = limitWith();
  const { log, come } = callers(limit);
  const slot = await limit.acquire();
  const controller = new AbortController();
  const all = [come("a", { signal: controller.signal }), come("b")];
  controller.abort(new Error("no longer wanted"));
  slot.success();
  await Promise.all(all);
  expect(log).toEqual(["a: no longer wanted", "b"]);
});

test("a costly call is not passed by cheaper ones behind it", async () => {
  const limit = limitWith({ algorithm: fixed(4) });
  const { log, come } = callers(limit);
  const slots = await Promise.all([1, 1, 1, 1].map((cost) => limit.acquire(cost)));
  const all = [come("costly", { cost: 3 }), come("cheap")];
  slots[0]?.success();
  slots[1]?.success();
  expect(limit.tryAcquire()).toBeUndefined();
  await Promise.resolve();
  expect(log).toEqual([]);
  slots[2]?.success();
  await Promise.all(all);
  expect(log).toEqual(["costly", "cheap"]);
});

test("when a costly one gives up, those behind it that fit are served at once", async () => {
  const runtime = new VirtualRuntime();
  const limit = limitWith({ algorithm: fixed(4), runtime });
  const { log, come } = callers(limit);
  await limit.acquire(2);
  const all = [come("costly", { cost: 3, timeout: "1s" }), come("cheap")];
  await runtime.advance(1_000);
  await Promise.all(all);
  expect(log).toEqual(["costly: DT_TIMEOUT", "cheap"]);
});

test("waiters are woken when the limit rises, not only as slots come back", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(1);
  const limit = limitWith({ algorithm, runtime });
  const slot = await limit.acquire();
  const waiting = Array.from({ length: 10 }, () => limit.acquire());
  await runtime.advance(100);
  algorithm.wanted = 8;
  slot.success();
  expect(limit.status()).toMatchObject({ inflight: 8, waiting: 2 });
  for (const next of waiting.slice(0, 8)) (await next).success();
  await Promise.all(waiting);
});

test("the more important are served first, and those of one importance in the order they came", async () => {
  const limit = limitWith();
  const { log, come } = callers(limit);
  const slot = await limit.acquire();
  const all = [come("batch", { priority: -2 }), come("a"), come("login", { priority: 5 }), come("b")];
  slot.success();
  await Promise.all(all);
  expect(log).toEqual(["login", "a", "b", "batch"]);
});

test("a full queue puts out the least important for one that is more important, and nobody for its equal", async () => {
  const limit = limitWith({ maxWaiters: 3 });
  const { log, come } = callers(limit);
  const slot = await limit.acquire();
  const all = [
    come("a"),
    come("early batch", { priority: -1 }),
    come("late batch", { priority: -1 }),
    come("login", { priority: 1 }),
    come("another batch", { priority: -1 }),
  ];
  slot.success();
  await Promise.all(all);
  expect(log.slice(0, 2).sort()).toEqual(["another batch: DT_QUEUE_FULL", "late batch: DT_QUEUE_FULL"]);
  expect(log.slice(2)).toEqual(["login", "a", "early batch"]);
});

test("calls of little importance leave a part of the limit free for the others", () => {
  const limit = limitWith({ algorithm: fixed(10) });
  let batch = 0;
  while (limit.tryAcquire(1, { priority: -3 })) batch += 1;
  let normal = 0;
  while (limit.tryAcquire()) normal += 1;
  expect([batch, normal]).toEqual([7, 3]);
});

test("a call of little importance passes when nothing is in flight, however low the limit is", () => {
  const limit = limitWith();
  expect(limit.tryAcquire(1, { priority: -9 })).toBeDefined();
});

test("a newcomer that may use what a less important one leaves free goes past it", async () => {
  const limit = limitWith({ algorithm: fixed(10) });
  for (let i = 0; i < 5; i++) limit.tryAcquire();
  const batch = limit.acquire(1, { priority: -5, timeout: "1h" });
  expect(limit.status().waiting).toBe(1);
  expect(limit.tryAcquire()).toBeDefined();
  expect(limit.tryAcquire(1, { priority: -5 })).toBeUndefined();
  await limit.stop();
  await expect(batch).rejects.toMatchObject({ code: "DT_STOPPED" });
});
