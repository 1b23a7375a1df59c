import { describe, expect, it } from "vitest";
import { createSemaphore, MemoryStore, type Semaphore, type SemaphoreOptions, setLimit } from "../../src/index.ts";
import { altered, SlotsWorld, withoutQueue } from "../support/slots-world.ts";

const OCR = { kind: "semaphore", name: "ocr" } as const;

const set = (world: SlotsWorld, limit: number | undefined) => setLimit(world.memory, OCR, limit, { by: "ann" });

/** Three semaphores whose processes make calls of 50 ms without an end. */
async function fleet(world: SlotsWorld, options: Partial<SemaphoreOptions> = {}): Promise<readonly Semaphore[]> {
  const semaphores = [1, 2, 3].map(() => world.semaphore({ max: 6, stored: true, ...options }));
  for (const semaphore of semaphores) for (let n = 0; n < 8; n++) world.calls(semaphore, 50).catch(() => undefined);
  await world.runtime.advance(5_000);
  return semaphores;
}

/** The most calls that run at once from now on. */
async function peakOf(world: SlotsWorld, ms: number): Promise<number> {
  world.peak = 0;
  await world.runtime.advance(ms);
  return world.peak;
}

const stopped = (semaphores: readonly Semaphore[]) => Promise.all(semaphores.map((semaphore) => semaphore.stop()));

describe.each([
  ["with a queue in the store", () => new SlotsWorld(5)],
  ["without one", () => new SlotsWorld(5, withoutQueue)],
])("a fleet of semaphores %s", (_, newWorld) => {
  it("goes by a lower limit within a sync, and by a higher one that it never exceeds", async () => {
    const world = newWorld();
    const semaphores = await fleet(world);
    expect(await peakOf(world, 2_000)).toBe(6);
    await set(world, 3);
    expect(await peakOf(world, 1_100)).toBeLessThanOrEqual(6);
    expect(await peakOf(world, 5_000)).toBe(3);
    expect(semaphores.map((semaphore) => semaphore.status())).toMatchObject(
      Array(3).fill({ max: 6, capacity: 3, stored: true, over: false }),
    );
    await set(world, 15);
    expect(await peakOf(world, 8_000)).toBe(15);
    await stopped(semaphores);
  });

  it("lets nobody wait for ever while it is lowered to 1 and raised", async () => {
    const world = newWorld();
    const semaphores = await fleet(world);
    await set(world, 1);
    await world.runtime.advance(2_000);
    expect(await peakOf(world, 6_000)).toBe(1);
    const waits = semaphores.map((semaphore) => semaphore.acquire().then((slot) => slot.release()));
    await set(world, 9);
    await world.runtime.advance(8_000);
    await Promise.all(waits);
    await stopped(semaphores);
  });

  it("goes back to the code's value when the limit is removed", async () => {
    const world = newWorld();
    const semaphores = await fleet(world);
    await set(world, 2);
    await world.runtime.advance(2_000);
    await set(world, undefined);
    await world.runtime.advance(2_000);
    expect(semaphores.map((semaphore) => semaphore.status().capacity)).toEqual([6, 6, 6]);
    expect(await peakOf(world, 4_000)).toBe(6);
    await stopped(semaphores);
  });
});

describe("a semaphore with a stored limit", () => {
  it("lets a process that is cut off use its old slots until the end of its validity", async () => {
    const world = new SlotsWorld(7);
    const other = new SlotsWorld(8);
    const offline = altered(world.memory, {
      sync: (...args) => (other.isDown ? Promise.reject(new Error("the store is down")) : world.memory.sync(...args)),
    });
    const options = { max: 6, stored: true };
    const [stays, cutOff] = [world.semaphore(options), world.semaphore({ ...options, store: offline })];
    const slots = [await cutOff.acquire(), await cutOff.acquire(), await cutOff.acquire()];
    await stays.start();
    await world.runtime.advance(2_000);
    other.isDown = true;
    const { validForMs } = cutOff.status();
    await set(world, 3);
    await world.runtime.advance(validForMs - 10);
    expect(slots.map(({ lost }) => lost)).toEqual([false, false, false]);
    // They are on record, so that nobody else has one.
    expect(stays.tryAcquire()).toBeUndefined();
    expect(stays.status()).toMatchObject({ capacity: 3 });
    await world.runtime.advance(20);
    expect(slots.map(({ lost }) => lost)).toEqual([true, true, true]);
    for (const slot of slots) slot.release();
    await stopped([stays, cutOff]);
  });

  it("tells listeners of each change, and costs go by it", async () => {
    const world = new SlotsWorld();
    const semaphore = world.semaphore({ stored: true });
    const told: (readonly [number, number])[] = [];
    semaphore.on("limitChanged", ({ from, to }) => told.push([from, to]));
    await set(world, 5);
    await semaphore.start();
    semaphore.update({ max: 9 });
    await world.runtime.advance(2_000);
    expect(semaphore.status()).toMatchObject({ max: 9, capacity: 5 });
    await expect(semaphore.acquire(6)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    const slot = await semaphore.acquire(5);
    await set(world, undefined);
    await world.runtime.advance(2_000);
    expect(told).toEqual([
      [2, 5],
      [5, 9],
    ]);
    slot.release();
    await semaphore.stop();
  });

  it("goes by the smaller one of it and of what processes without stored declare", async () => {
    const world = new SlotsWorld();
    const [stored, plain] = [world.semaphore({ max: 8, stored: true }), world.semaphore({ max: 4 })];
    await Promise.all([stored.start(), plain.start()]);
    await world.runtime.advance(2_000);
    expect([stored, plain].map((semaphore) => semaphore.status().capacity)).toEqual([4, 4]);
    await set(world, 3);
    await world.runtime.advance(2_000);
    expect([stored, plain].map((semaphore) => semaphore.status().capacity)).toEqual([3, 3]);
    await stopped([stored, plain]);
  });

  it("is refused on a store that keeps no limits", () => {
    const store = altered(new MemoryStore(), { setLimit: undefined });
    expect(() => createSemaphore({ name: "ocr", max: 2, stored: true, store })).toThrow(
      expect.objectContaining({ code: "DT_INVALID_OPTION" }),
    );
  });
});
