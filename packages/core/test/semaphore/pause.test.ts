import { describe, expect, it } from "vitest";
import type { DtError, Semaphore } from "../../src/index.ts";
import { SlotsWorld, withoutQueue } from "../support/slots-world.ts";

/** A world, and three semaphores whose processes make calls of 50 ms without an end. */
async function fleet(world = new SlotsWorld(5)): Promise<{ world: SlotsWorld; semaphores: readonly Semaphore[] }> {
  const semaphores = [1, 2, 3].map(() => world.semaphore({ max: 6 }));
  for (const semaphore of semaphores) for (let n = 0; n < 4; n++) world.calls(semaphore, 50).catch(() => undefined);
  await world.runtime.advance(5_000);
  return { world, semaphores };
}

async function begunWithin(world: SlotsWorld, ms: number): Promise<number> {
  const before = world.begun;
  await world.runtime.advance(ms);
  return world.begun - before;
}

const caught = (promise: Promise<unknown>): Promise<DtError> =>
  promise.then(
    () => expect.unreachable("it was granted"),
    (error: DtError) => error,
  );

describe.each([
  ["with a queue in the store", () => new SlotsWorld(5)],
  ["without one", () => new SlotsWorld(5, withoutQueue)],
])("a fleet of semaphores %s", (_, world_) => {
  it("begins no call within a sync after one of them pauses it, and goes on when the pause is over", async () => {
    const { world, semaphores } = await fleet(world_());
    expect(await begunWithin(world, 1_000)).toBeGreaterThan(90);
    semaphores[0]?.pauseUntil("10s");
    // A sync interval, and a little for each answer.
    await world.runtime.advance(1_010);
    expect(await begunWithin(world, 8_980)).toBe(0);
    expect(world.running).toBe(0);
    expect(await begunWithin(world, 2_000)).toBeGreaterThan(180);
    expect(world.peak).toBeLessThanOrEqual(6);
    for (const semaphore of semaphores) await semaphore.stop();
  });
});

describe("a pause of a fleet", () => {
  it("lets calls that run go on, and is told to all by the event, the status and errors", async () => {
    const world = new SlotsWorld();
    const [first, second] = [world.semaphore(), world.semaphore()];
    await first.start();
    await second.start();
    const slot = await first.acquire();
    const told: number[] = [];
    for (const semaphore of [first, second]) semaphore.on("paused", ({ forMs }) => told.push(forMs));
    first.pauseUntil("20s");
    expect(first.tryAcquire()).toBeUndefined();
    const waits = caught(first.acquire(1, { timeout: "5s" }));
    const limited = await caught(first.run(() => 1, { whenLimited: "throw" }));
    expect(limited).toMatchObject({ code: "DT_LIMITED", retryAfterMs: 20_000 });
    expect(limited.message).toMatch(/the fleet is paused for another 20000 ms/);
    await world.runtime.advance(6_000);
    expect(await waits).toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 15_000 });
    expect(slot.lost).toBe(false);
    for (const semaphore of [first, second]) expect(semaphore.status().pausedForMs).toBe(14_000);
    expect(told).toHaveLength(2);
    expect(Math.min(...told)).toBeGreaterThan(18_900);
    slot.release();
    await world.runtime.advance(14_000);
    expect(second.status().pausedForMs).toBe(0);
    expect(second.tryAcquire()).toBeDefined();
  });

  it("serves callers that wait at the moment when it is over, and keeps no timer once none waits", async () => {
    const world = new SlotsWorld();
    const semaphore = world.semaphore({ syncInterval: "3s" });
    await semaphore.start();
    semaphore.pauseUntil("4s");
    const fromMs = world.runtime.now();
    const begun = [1, 2].map(() => semaphore.acquire().then(() => world.runtime.now() - fromMs));
    const givesUp = caught(semaphore.acquire(1, { timeout: "1s" }));
    await world.runtime.advance(5_000);
    for (const ms of await Promise.all(begun)) expect(ms >= 4_000 && ms <= 4_001).toBe(true);
    expect(await givesUp).toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 3_000 });
  });

  it("reaches the others at once from the second one on, since they listen then", async () => {
    const world = new SlotsWorld();
    const [first, second] = [world.semaphore(), world.semaphore()];
    await first.start();
    await second.start();
    first.pauseUntil("2s");
    await world.runtime.advance(4_000);
    first.pauseUntil("2s");
    await world.runtime.advance(10);
    expect(second.status().pausedForMs).toBe(1_990);
  });

  it("holds here while the store is away, reaches the others afterwards, and waits for a start", async () => {
    const world = new SlotsWorld();
    const [first, second] = [world.semaphore(), world.semaphore()];
    first.pauseUntil("30s");
    await first.start();
    await second.start();
    await world.runtime.advance(1_000);
    expect(second.status().pausedForMs).toBe(29_000);
    world.isDown = true;
    second.pauseUntil("1m");
    await world.runtime.advance(20_000);
    expect(second.status().pausedForMs).toBe(40_000);
    world.isDown = false;
    await world.runtime.advance(3_000);
    for (const semaphore of [first, second]) expect(semaphore.status().pausedForMs).toBe(37_000);
  });

  it("is told right after a request that was under way when it was asked for", async () => {
    const world = new SlotsWorld();
    const [semaphore] = [world.semaphore()];
    await semaphore.start();
    world.backMs = 400;
    world.syncs = 0;
    while (world.syncs === 0) await world.runtime.advance(10);
    semaphore.pauseUntil("30s");
    await world.runtime.advance(610);
    expect((await world.memory.inspect("semaphore/ocr")).pausedForMs).toBeGreaterThan(29_000);
    await world.runtime.advance(1_000);
    world.syncs = 0;
    await world.runtime.advance(5_000);
    expect(world.syncs).toBeLessThanOrEqual(6);
  });

  it("costs few requests, however many callers ask for a slot meanwhile", async () => {
    const { world, semaphores } = await fleet();
    semaphores[0]?.pauseUntil("1m");
    await world.runtime.advance(2_000);
    world.syncs = 0;
    for (let n = 0; n < 1_000; n++) {
      for (const semaphore of semaphores) semaphore.tryAcquire();
      await world.runtime.advance(10);
    }
    expect(world.syncs).toBeLessThanOrEqual(3 * 12);
    for (const semaphore of semaphores) await semaphore.stop();
  });
});
