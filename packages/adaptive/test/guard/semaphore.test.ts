import { createSemaphore, MemoryStore, type Semaphore, type SemaphoreOptions } from "@dt/core";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { createConcurrencyLimit, createGuard, fixed, type GuardOptions, type Passage } from "../../src/index.ts";
import { overload, startedThrottle, success } from "./world.ts";

async function startedSemaphore(
  runtime: VirtualRuntime,
  max: number,
  options: Partial<SemaphoreOptions> = {},
): Promise<Semaphore> {
  const store = new MemoryStore({ runtime });
  const semaphore = createSemaphore({ name: "ocr", max, store, runtime, ...options });
  const started = semaphore.start();
  await runtime.advance(10);
  await started;
  return semaphore;
}

/** A guard with a semaphore of so many slots, and callers that say when they were let through. */
async function world(max: number, others: Partial<GuardOptions> = {}, runtime = new VirtualRuntime()) {
  const semaphore = await startedSemaphore(runtime, max);
  const guard = createGuard({ semaphore, runtime, ...others });
  const startMs = runtime.now();
  const log: string[] = [];
  const passages: Passage[] = [];
  const come = (name: string): void => {
    void guard.acquire().then((passage) => {
      passages.push(passage);
      log.push(`${name} at ${runtime.now() - startMs}`);
    });
  };
  return { runtime, semaphore, guard, log, passages, come };
}

test("a call has a slot of the fleet from the moment it is let through until its passage is settled", async () => {
  const { semaphore, guard } = await world(2);
  const passage = await guard.acquire(2);
  expect([semaphore.status().inUse, await guard.tryAcquire()]).toEqual([2, undefined]);
  passage.settle(success);
  passage.settle(success);
  expect(semaphore.status().inUse).toBe(0);
  expect(await guard.run(() => semaphore.status().inUse)).toBe(1);
  expect(semaphore.status().inUse).toBe(0);
});

test("the passage's signal is that of the slot, and there is none without a semaphore", async () => {
  const { semaphore, guard } = await world(1);
  const passage = await guard.acquire();
  const { signal } = passage;
  expect(signal?.aborted).toBe(false);
  await semaphore.stop();
  expect(signal?.reason).toMatchObject({ code: "DT_SLOT_LOST" });
  passage.settle(success);
  expect((await createGuard().acquire()).signal).toBeUndefined();
});

test("a call that waits for a slot of the local limit takes none of the fleet", async () => {
  const runtime = new VirtualRuntime();
  const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime });
  const { semaphore, passages, come } = await world(5, { limit }, runtime);
  come("a");
  come("b");
  await settle();
  expect([limit.status().waiting, semaphore.status()]).toMatchObject([1, { inUse: 1, waiting: 0 }]);
  passages[0]?.settle(success);
  await settle();
  expect(passages).toHaveLength(2);
});

test("the wait for a slot of the fleet is no time that the callee took", async () => {
  const runtime = new VirtualRuntime();
  const samples: number[] = [];
  const limit = createConcurrencyLimit({
    algorithm: { ...fixed(5), window: () => ({ minMs: 1, maxMs: 1, minSamples: 1, maxSamples: 1 }) },
    maxLag: 1,
    runtime,
  });
  limit.on("window", ({ window }) => samples.push(window.minMs));
  const { passages, come, semaphore } = await world(1, { limit }, runtime);
  come("a");
  come("b");
  await settle();
  // Its place is taken, and it has not begun.
  expect([limit.inflight, passages.length, semaphore.status().waiting]).toEqual([2, 1, 1]);
  await runtime.advance(1_000);
  passages[0]?.settle({ outcome: "ignored" });
  await settle();
  await runtime.advance(50);
  passages[1]?.settle(success);
  expect(samples.at(-1)).toBe(50);
});

test("a call that waits for a slot spends no token", async () => {
  const runtime = new VirtualRuntime();
  const { throttle, used } = await startedThrottle(runtime, { max: 5 });
  const { passages, come } = await world(1, { throttle }, runtime);
  come("a");
  come("b");
  await settle();
  expect([used(), passages.length]).toEqual([1, 1]);
  await throttle.stop();
});

test("a slot is not kept while the next token is farther away than a turn", async () => {
  const runtime = new VirtualRuntime();
  const { throttle } = await startedThrottle(runtime, { max: 1, interval: "2s" });
  const { semaphore, log, passages, come } = await world(2, { throttle }, runtime);
  come("a");
  await settle();
  passages[0]?.settle(success);
  come("b");
  await runtime.advance(90);
  expect(semaphore.status().inUse).toBe(1);
  await runtime.advance(20);
  expect(semaphore.status().inUse).toBe(0);
  await runtime.advance(2_000);
  expect([log.length, semaphore.status().inUse]).toEqual([2, 1]);
  await throttle.stop();
});

test("such a call takes its slot from the front of the queue, and anew the tokens that got too old", async () => {
  const runtime = new VirtualRuntime();
  const { throttle, used } = await startedThrottle(runtime, { max: 1 });
  const { semaphore, log, passages, come } = await world(1, { throttle }, runtime);
  come("a");
  await settle();
  passages[0]?.settle(success);
  come("b");
  await runtime.advance(200);
  // The slot that b gave back is taken by a caller of the semaphore itself, and others wait for it.
  const order: string[] = [];
  const other = await semaphore.acquire();
  void semaphore.acquire().then((slot) => {
    order.push("other");
    slot.release();
  });
  await runtime.advance(2_500);
  expect([log.length, used()]).toEqual([1, 2]);
  other.release();
  await settle();
  // The token that b got is of an epoch that is over: the one of this epoch goes with the call.
  expect([log.length, used(), order]).toEqual([2, 3, []]);
  passages[1]?.settle(success);
  await settle();
  expect([order, semaphore.status().inUse]).toEqual([["other"], 0]);
  await throttle.stop();
});

test("a pause calls back the calls that wait for a slot, and a call that gives up leaves nothing behind", async () => {
  const { runtime, semaphore, guard, log, passages, come } = await world(1);
  come("a");
  come("b");
  await settle();
  passages[0]?.settle(overload(1_000));
  await settle();
  const controller = new AbortController();
  const gone = guard.acquire(1, { signal: controller.signal }).catch((reason: unknown) => reason);
  await runtime.advance(999);
  expect([log, semaphore.status()]).toMatchObject([["a at 0"], { inUse: 0, waiting: 0 }]);
  await runtime.advance(1);
  expect(log).toEqual(["a at 0", "b at 1000"]);
  expect(semaphore.status()).toMatchObject({ inUse: 1, waiting: 1 });
  controller.abort("enough");
  expect(await gone).toBe("enough");
  expect(semaphore.status()).toMatchObject({ inUse: 1, waiting: 0 });
});

test("a call that does not wait is limited where no slot is free, and waits for the start of the semaphore", async () => {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const semaphore = createSemaphore({ name: "ocr", max: 1, store, runtime });
  const guard = createGuard({ name: "api", semaphore, runtime });
  const first = guard.run(() => new Promise<string>((resolve) => void runtime.setTimer(() => resolve("done"), 500)), {
    whenLimited: "throw",
  });
  await runtime.advance(100);
  await expect(guard.run(() => "not made", { whenLimited: "throw" })).rejects.toMatchObject({
    code: "DT_LIMITED",
    message: /the semaphore has no free slot/,
  });
  expect(await guard.run(() => "not made", { whenLimited: "skip" })).toBeUndefined();
  await runtime.advance(500);
  expect(await first).toBe("done");
});

test("a call that gives up while it waits for tokens leaves its slot behind", async () => {
  const runtime = new VirtualRuntime();
  const { throttle } = await startedThrottle(runtime, { max: 1 });
  const { semaphore, guard } = await world(2, { throttle }, runtime);
  (await guard.acquire()).settle(success);
  const controller = new AbortController();
  const gone = guard.acquire(1, { signal: controller.signal }).catch((reason: unknown) => reason);
  await settle();
  expect([semaphore.status().inUse, throttle.status().waiting]).toEqual([1, 1]);
  controller.abort("enough");
  expect(await gone).toBe("enough");
  expect([semaphore.status().inUse, throttle.status().waiting]).toEqual([0, 0]);
  await throttle.stop();
});

test("a call whose time is up is not let through, with the guard's own error", async () => {
  const { runtime, guard } = await world(1);
  await guard.acquire();
  const late = expect(guard.acquire(1, { timeout: "2s" })).rejects.toMatchObject({
    code: "DT_TIMEOUT",
    message: /the guard "guard" let no call through within 2000 ms/,
  });
  await runtime.advance(2_000);
  await late;
});

test("what is no semaphore is refused", async () => {
  const runtime = new VirtualRuntime();
  const { throttle } = await startedThrottle(runtime);
  for (const semaphore of [throttle, createConcurrencyLimit(), {}])
    expect(() => createGuard({ semaphore: semaphore as unknown as Semaphore })).toThrow(/give what createSemaphore/);
  await throttle.stop();
});
