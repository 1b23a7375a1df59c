import { testOutcomes } from "@dt-tooling/backends/test-outcomes";
import { describe, expect, it } from "vitest";
import type { Slot } from "../../src/index.ts";
import { SlotsWorld, withoutQueue } from "../support/slots-world.ts";

describe.each([
  ["with a queue in the store", undefined],
  ["without one", withoutQueue],
])("the calls of a semaphore %s", (_, kind) => {
  testOutcomes(async () => {
    const world = new SlotsWorld(1, kind);
    const semaphore = world.semaphore({ maxWaiters: 1, validity: "3s", storeTimeout: "1s", syncInterval: "500ms" });
    await semaphore.start();
    await world.runtime.advance(1_000);
    const slots: Slot[] = [];
    const keep = (slot: Slot): void => void slots.push(slot);
    return {
      runtime: world.runtime,
      status: () => semaphore.status(),
      onDecided: (listener) => semaphore.on("decided", listener),
      tryAcquire: () => semaphore.tryAcquire(),
      acquire: async (options) => keep(await semaphore.acquire(1, options)),
      run: (options) => semaphore.run(() => 1, { ...options, whenLimited: "throw" }),
      exhaust: async () => {
        for (let n = semaphore.status().inUse; n < 2; n++) {
          const slot = semaphore.acquire();
          await world.runtime.advance(100);
          keep(await slot);
        }
      },
      free: async () => {
        slots.pop()?.release();
        await world.runtime.advance(0);
      },
      cutStore: async () => {
        world.isDown = true;
        await world.runtime.advance(5_000);
      },
      stop: async () => {
        const stopped = semaphore.stop();
        for (const slot of slots) slot.release();
        await world.runtime.advance(5_000);
        return stopped;
      },
    };
  });
});

describe("a semaphore is limiting", () => {
  it.each([
    ["with a queue", undefined],
    ["without one", withoutQueue],
  ])("not for the start, nor while free slots move here; and once there are none: %s", async (_, kind) => {
    const world = new SlotsWorld(1, kind);
    Object.assign(world, { onwardMs: 5, backMs: 5 });
    const [first, second] = [world.semaphore({ max: 3 }), world.semaphore({ max: 3 })];
    const limiting = (): boolean[] => [first, second].map((semaphore) => semaphore.status().limiting);
    expect(first.tryAcquire()).toBeUndefined();
    const calls = [first.acquire(), second.acquire()];
    await world.runtime.advance(500);
    const slots = await Promise.all(calls);
    expect([first, second].map((semaphore) => semaphore.status().calls.waited)).toEqual([1, 1]);
    const third = first.acquire();
    await world.runtime.advance(500);
    slots.push(await third);
    expect(limiting()).toEqual([false, false]);
    const fourth = second.acquire();
    await world.runtime.advance(100);
    expect(limiting()).toEqual([false, true]);
    slots[0]?.release();
    await world.runtime.advance(5_000);
    slots.push(await fourth);
    for (const slot of slots) slot.release();
    await world.runtime.advance(30_000);
    expect(limiting()).toEqual([false, false]);
    for (const semaphore of [first, second]) {
      const stopped = semaphore.stop();
      await world.runtime.advance(100);
      await stopped;
    }
  });

  it("for as long as a caller waits, however long that is", async () => {
    const world = new SlotsWorld();
    const semaphore = world.semaphore({ max: 1 });
    const slot = await semaphore.acquire();
    const waits = semaphore.acquire();
    await world.runtime.advance(300_000);
    expect(semaphore.status().limiting).toBe(true);
    slot.release();
    (await waits).release();
    await semaphore.stop();
  });

  it("in a pause, and by its cap; not in a group that learns", async () => {
    const world = new SlotsWorld();
    const [paused, capped] = [world.semaphore({ name: "a" }), world.semaphore({ name: "b" })];
    const learning = world.semaphore({ name: "c", learning: "10s" });
    for (const semaphore of [paused, capped, learning]) await semaphore.start();
    paused.pauseUntil("1m");
    capped.cap(0);
    const slots = [paused, capped, learning].map((semaphore) => semaphore.tryAcquire());
    const waits = learning.acquire();
    await world.runtime.advance(2_000);
    expect(slots).toEqual([undefined, undefined, undefined]);
    expect([paused, capped, learning].map((semaphore) => semaphore.status().limiting)).toEqual([true, true, false]);
    await world.runtime.advance(10_000);
    (await waits).release();
    expect(learning.status()).toMatchObject({ limiting: false, calls: { granted: 1, waited: 1, refused: 1 } });
    for (const semaphore of [paused, capped, learning]) await semaphore.stop();
  });

  it("not while more callers wait than there are slots, in a group that learns", async () => {
    const world = new SlotsWorld();
    const semaphores = [1, 2].map(() => world.semaphore({ learning: "10s" }));
    const waits = semaphores.flatMap((semaphore) => [1, 2, 3].map(() => semaphore.acquire()));
    await world.runtime.advance(8_000);
    expect(semaphores.map((semaphore) => semaphore.status().limiting)).toEqual([false, false]);
    await world.runtime.advance(4_000);
    expect(semaphores.some((semaphore) => semaphore.status().limiting)).toBe(true);
    for (const wait of waits) wait.catch(() => undefined);
    for (const semaphore of semaphores) void semaphore.stop();
    await world.runtime.advance(20_000);
  });

  it("not where its start fails: the calls of `run` that waited for it are counted", async () => {
    const world = new SlotsWorld();
    world.isDown = true;
    const semaphore = world.semaphore();
    const calls = [
      semaphore.run(() => 1, { whenLimited: "throw" }),
      semaphore.run(() => 1, { whenLimited: "throw", timeout: "1s" }),
      semaphore.run(() => 1, { whenLimited: "skip", signal: AbortSignal.abort("early") }),
    ].map((call) => call.catch((error: unknown) => error));
    const abort = new AbortController();
    calls.push(semaphore.run(() => 1, { whenLimited: "skip", signal: abort.signal }).catch((error: unknown) => error));
    await world.runtime.advance(1_500);
    abort.abort("late");
    await world.runtime.advance(30_000);
    await Promise.all(calls);
    expect(semaphore.status()).toMatchObject({
      limiting: false,
      calls: { granted: 0, waited: 0, refused: 0, timedOut: 1, canceled: 1, storeError: 1 },
    });
    await semaphore.stop();
  });
});
