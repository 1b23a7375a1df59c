import { channel } from "node:diagnostics_channel";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { createConcurrencyLimit, fixed } from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

const limitOf = (limit: number, runtime = new VirtualRuntime()) =>
  createConcurrencyLimit({ algorithm: fixed(limit), runtime, name: "search" });

test("drain refuses newcomers, serves those who wait, and is done when the last slot is settled", async () => {
  const runtime = new VirtualRuntime();
  const limit = limitOf(1, runtime);
  const first = await limit.acquire();
  const waiting = limit.acquire();
  let drained: boolean | undefined;
  const draining = limit.drain({ timeout: "5s" }).then((inOrder) => {
    drained = inOrder;
  });
  await runtime.advance(10);
  expect(() => limit.tryAcquire()).toThrow(/"search" is being drained/);
  await expect(limit.acquire()).rejects.toMatchObject({ code: "DT_STOPPED", message: /"search" is being drained/ });
  first.success();
  const second = await waiting;
  await runtime.advance(10);
  expect(drained).toBeUndefined();
  second.success();
  await draining;
  expect([drained, limit.status().state]).toEqual([true, "stopped"]);
});

test("drain gives up after its time, and says so", async () => {
  const runtime = new VirtualRuntime();
  const limit = limitOf(1, runtime);
  await limit.acquire();
  const waiting = limit.acquire().catch((error) => error.code);
  const drained = limit.drain({ timeout: "2s" });
  await runtime.advance(2_000);
  expect([await drained, await waiting]).toEqual([false, "DT_STOPPED"]);
});

test("stop refuses those who wait and grants nothing more; slots that are out do no harm when they are settled late", async () => {
  const runtime = new VirtualRuntime();
  const limit = limitOf(1, runtime);
  const slot = await limit.acquire();
  const waiting = limit.acquire().catch((error) => error.message);
  await limit.stop();
  await limit.stop();
  expect(await waiting).toBe('the concurrency limit "search" was stopped; create a new one');
  expect(() => limit.tryAcquire()).toThrow(/"search" was stopped/);
  slot.success();
  expect(limit.status()).toMatchObject({ state: "stopped", inflight: 0, waiting: 0 });
  expect(runtime.pendingTimers).toBe(0);
});

test("await using stops it, and using gives a slot back that nobody settled", async () => {
  const limit = limitOf(1);
  {
    await using scoped = limit;
    {
      using slot = await scoped.acquire();
      expect([slot.cost, scoped.inflight]).toEqual([1, 1]);
    }
    expect(scoped.inflight).toBe(0);
  }
  expect(limit.status().state).toBe("stopped");
});

test("a slot that is held too long counts as overload, and its place goes to the next", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(1);
  const limit = createConcurrencyLimit({ algorithm, runtime, maxHold: "5s" });
  const overdue: unknown[] = [];
  limit.on("overdue", (event) => overdue.push(event));
  const lost = await limit.acquire();
  await runtime.advance(2_000);
  const waiting = limit.acquire();
  await runtime.advance(3_000);
  const next = await waiting;
  expect(overdue).toEqual([{ cost: 1, partition: undefined, heldMs: 5_000 }]);
  expect(algorithm.seen).toMatchObject([{ samples: 0, overloads: 1 }]);
  lost.success();
  expect(limit.inflight).toBe(1);
  await runtime.advance(4_000);
  expect(next.open).toBe(true);
  await runtime.advance(1_000);
  expect(next.open).toBe(false);
  expect(runtime.pendingTimers).toBe(0);
});

test("each slot that is held too long is due by its own age", async () => {
  const runtime = new VirtualRuntime();
  const limit = createConcurrencyLimit({ algorithm: fixed(5), runtime, maxHold: "5s" });
  const overdue: number[] = [];
  limit.on("overdue", () => overdue.push(runtime.now()));
  for (const ms of [0, 3_000, 500]) {
    await runtime.advance(ms);
    await limit.acquire();
  }
  await runtime.advance(20_000);
  expect(overdue).toEqual([5_000, 8_000, 8_500]);
});

test("events tell what was turned away and why, each window, and each change of the limit", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(1);
  const limit = createConcurrencyLimit({ algorithm, runtime, maxWaiters: 1, partitions: { a: 50 } });
  const log: unknown[] = [];
  limit.on("shed", ({ reason, cost, priority, partition }) => log.push([reason, cost, priority, partition]));
  limit.on("limit", ({ limit: now, before, inflight }) => log.push(["limit", before, now, inflight]));
  limit.on("window", ({ window, late, limit: now }) => log.push(["window", window.samples, late, now]));
  const slot = await limit.acquire();
  limit.tryAcquire(3);
  await limit.acquire(1, { timeout: 0, partition: "a" }).catch(() => undefined);
  const waiting = limit.acquire(2, { timeout: "50ms" }).catch((error) => error.code);
  await runtime.advance(50);
  expect(await waiting).toBe("DT_TIMEOUT");
  const controller = new AbortController();
  const aborted = limit.acquire(1, { signal: controller.signal }).catch(() => undefined);
  controller.abort();
  await aborted;
  const displaced = limit.acquire(1, { priority: -1 }).catch((error) => error.code);
  const important = limit.acquire(1, { priority: 2 });
  const refused = limit.acquire(1, { priority: -9 }).catch((error) => error.code);
  await runtime.advance(50);
  algorithm.wanted = 5;
  slot.success();
  expect([await displaced, await refused]).toEqual(["DT_QUEUE_FULL", "DT_QUEUE_FULL"]);
  (await important).success();
  expect(log).toEqual([
    ["limit", 3, 0, undefined],
    ["limit", 1, 0, "a"],
    ["timeout", 2, 0, undefined],
    ["displaced", 1, -1, undefined],
    ["full", 1, -9, undefined],
    ["window", 1, false, 5],
    ["limit", 1, 5, 1],
  ]);
  expect(limit.status()).toMatchObject({ calls: { granted: 2 }, shed: 5, windows: 1, algorithm: "scripted" });
});

test("events are published for the whole process, with the limit's name", () => {
  const heard: unknown[] = [];
  const listener = (message: unknown): void => void heard.push(message);
  channel("dt:concurrency:shed").subscribe(listener);
  const limit = limitOf(1);
  limit.tryAcquire();
  limit.tryAcquire();
  channel("dt:concurrency:shed").unsubscribe(listener);
  expect(heard).toEqual([{ name: "search", reason: "limit", cost: 1, priority: 0, partition: undefined }]);
});

test("the cap of a semaphore follows the limit in whole slots, at least one, and goes when the limit is stopped", async () => {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(7.9);
  const caps: (number | undefined)[] = [];
  const semaphore = { cap: (n?: number) => void caps.push(n) };
  const limit = createConcurrencyLimit({ algorithm, runtime, semaphore });
  for (const wanted of [3.5, 3.5, 0.2]) {
    algorithm.wanted = wanted;
    const slot = await limit.acquire();
    await runtime.advance(100);
    slot.success();
  }
  expect(caps.filter((cap, i) => cap !== caps[i - 1])).toEqual([7, 3, 1]);
  await limit.stop();
  expect(caps.at(-1)).toBeUndefined();
});
