import { describe, expect, it } from "vitest";
import type { Semaphore, SemaphoreOptions } from "../../src/index.ts";
import { SlotsWorld, withoutQueue } from "../support/slots-world.ts";

const KINDS = [
  ["with a queue", undefined],
  ["without a queue", withoutQueue],
] as const;

async function started(world: SlotsWorld, options: Partial<SemaphoreOptions> = {}): Promise<Semaphore> {
  const semaphore = world.semaphore(options);
  await semaphore.start();
  return semaphore;
}

describe.each(KINDS)("update, %s", (_, kind) => {
  it("to a lower limit lets calls go on, and begins nothing until fewer run", async () => {
    const world = new SlotsWorld(1, kind);
    const semaphore = await started(world, { max: 4 });
    const slots = [await semaphore.acquire(), await semaphore.acquire(), await semaphore.acquire()];
    semaphore.update({ max: 2 });
    expect(semaphore.tryAcquire()).toBeUndefined();
    const waits = semaphore.acquire();
    await world.runtime.advance(2_000);
    expect(slots.some((slot) => slot.lost || slot.signal.aborted)).toBe(false);
    expect(semaphore.status()).toMatchObject({ max: 2, capacity: 2, inUse: 3, waiting: 1 });
    slots.pop()?.release();
    await world.runtime.advance(2_000);
    expect(semaphore.status()).toMatchObject({ inUse: 2, waiting: 1 });
    slots.pop()?.release();
    await world.runtime.advance(2_000);
    (await waits).release();
  });

  it("to a lower limit holds in the whole fleet once all have learned of it", async () => {
    const world = new SlotsWorld(1, kind);
    const [a, b] = [await started(world, { max: 6 }), await started(world, { max: 6 })];
    for (const one of [a, b]) for (let i = 0; i < 5; i++) world.calls(one, 50).catch(() => undefined);
    await world.runtime.advance(5_000);
    expect(world.peak).toBe(6);
    a.update({ max: 2 });
    await world.runtime.advance(1_500);
    world.peak = 0;
    await world.runtime.advance(5_000);
    expect(world.peak).toBe(2);
    b.update({ max: 3 });
    a.update({ max: 9 });
    await world.runtime.advance(3_000);
    expect(world.peak).toBe(3);
  });

  it("to a higher limit gives the new slots to callers that wait", async () => {
    const world = new SlotsWorld(1, kind);
    const semaphore = await started(world, { max: 1 });
    await semaphore.acquire();
    const waits = semaphore.acquire();
    semaphore.update({ max: 2 });
    await world.runtime.advance(100);
    expect((await waits).cost).toBe(1);
    expect(() => semaphore.update({ max: 0 })).toThrow(/max is 0/);
    expect(() => semaphore.update({ rate: 1 } as never)).toThrow(/rate: there is no such option/);
  });
});

it("an answer that was under way says nothing of a lower limit", async () => {
  const world = new SlotsWorld();
  const semaphore = await started(world, { max: 4 });
  world.onwardMs = 50;
  world.backMs = 50;
  await world.runtime.advance(960);
  // A request with the old limit is under way.
  semaphore.update({ max: 2 });
  for (let ms = 0; ms < 90; ms += 10) {
    expect(semaphore.tryAcquire()).toBeUndefined();
    await world.runtime.advance(10);
  }
  await world.runtime.advance(1_000);
  expect([semaphore.tryAcquire(), semaphore.tryAcquire(), semaphore.tryAcquire()].map(Boolean)).toEqual([
    true,
    true,
    false,
  ]);
});

it("over is an event, and the status has it", async () => {
  const world = new SlotsWorld();
  const [a, b] = [await started(world, { max: 4 }), await started(world, { max: 4 })];
  const slots = [await a.acquire(), await a.acquire(), await a.acquire()];
  const told: unknown[] = [];
  b.on("over", (event) => told.push(event));
  await world.runtime.advance(1_000);
  a.update({ max: 2 });
  await world.runtime.advance(1_100);
  expect(b.status().over).toBe(true);
  for (const slot of slots) slot.release();
  await world.runtime.advance(2_000);
  expect(b.status().over).toBe(false);
  expect(told).toEqual([
    { over: true, capacity: 2 },
    { over: false, capacity: 2 },
  ]);
});

describe("cap", () => {
  it("bounds the calls of this process at once, for this process alone", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world, { max: 4 });
    const caps: unknown[] = [];
    semaphore.on("cap", (event) => caps.push(event));
    const slots = [await semaphore.acquire(), await semaphore.acquire()];
    semaphore.cap(1);
    const waits = semaphore.acquire();
    expect(semaphore.tryAcquire()).toBeUndefined();
    slots.pop()?.release();
    expect(semaphore.status()).toMatchObject({ cap: 1, inUse: 1, waiting: 1 });
    semaphore.cap(2.9);
    expect((await waits).lost).toBe(false);
    expect(semaphore.tryAcquire()).toBeUndefined();
    semaphore.cap(0);
    semaphore.cap();
    expect(semaphore.tryAcquire()).toBeDefined();
    expect(caps).toEqual([{ cap: 1 }, { cap: 2 }, { cap: 0 }, { cap: undefined }]);
    for (const cap of [-1, Number.NaN, "1"]) expect(() => semaphore.cap(cap as number)).toThrow(/cap is/);
  });

  it("leaves the rest to the other processes", async () => {
    const world = new SlotsWorld();
    Object.assign(world, { onwardMs: 0.5, backMs: 0.5 });
    const [a, b] = [world.semaphore({ max: 10 }), world.semaphore({ max: 10 })];
    for (const one of [a, b]) for (let i = 0; i < 12; i++) world.calls(one, 50).catch(() => undefined);
    await world.runtime.advance(3_000);
    expect([a.status().inUse, b.status().inUse]).toEqual([5, 5]);
    a.cap(2);
    await world.runtime.advance(3_000);
    expect([a.status().inUse, b.status().inUse]).toEqual([2, 8]);
    expect(world.peak).toBe(10);
  });

  it("does not make a process report again and again", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world, { max: 4 });
    await semaphore.acquire();
    semaphore.cap(0);
    const waits = semaphore.acquire();
    waits.catch(() => undefined);
    const before = world.syncs;
    await world.runtime.advance(10_000);
    expect(world.syncs - before).toBeLessThan(25);
    await semaphore.stop();
  });
});
