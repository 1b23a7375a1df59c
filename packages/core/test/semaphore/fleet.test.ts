import { describe, expect, it } from "vitest";
import { SlotsWorld, withoutHints, withoutQueue } from "../support/slots-world.ts";

describe("twenty processes that want more than there is, on a store", () => {
  const KINDS = [
    ["with a queue and hints", (store) => store, 0.97],
    ["with a queue, without hints", withoutHints, 0.8],
    ["without a queue", withoutQueue, 0.75],
  ] as const satisfies readonly (readonly [string, ConstructorParameters<typeof SlotsWorld>[1], number])[];

  it.each(KINDS)("%s: use the slots, and never more than max", async (_, kind, leastUse) => {
    const world = new SlotsWorld(1, kind);
    Object.assign(world, { onwardMs: 0.5, backMs: 0.5 });
    const semaphores = Array.from({ length: 20 }, () => world.semaphore({ max: 5 }));
    for (const semaphore of semaphores) for (let i = 0; i < 4; i++) world.calls(semaphore, 100).catch(() => undefined);
    await world.runtime.advance(20_000);
    expect(world.peak).toBe(5);
    expect(world.use).toBeGreaterThan(5 * leastUse);
    expect(semaphores.every((semaphore) => semaphore.status().calls.granted > 10)).toBe(true);
    expect(semaphores.reduce((sum, semaphore) => sum + semaphore.status().inUse, 0)).toBe(world.running);
  });
});

it("two processes hand a slot over within a few milliseconds", async () => {
  const world = new SlotsWorld();
  Object.assign(world, { onwardMs: 0.5, backMs: 0.5 });
  const [a, b] = [world.semaphore({ max: 1 }), world.semaphore({ max: 1 })];
  await Promise.all([world.runtime.advance(10), a.start(), b.start()]);
  const first = a.acquire();
  await world.runtime.advance(100);
  const slot = await first;
  let gotMs = 0;
  const second = b.acquire().then((got) => {
    gotMs = world.runtime.now();
    return got;
  });
  await world.runtime.advance(2_000);
  expect(b.status()).toMatchObject({ waiting: 1, isQueued: true, held: 0 });
  const releasedMs = world.runtime.now();
  slot.release();
  await world.runtime.advance(20);
  expect(gotMs - releasedMs).toBeLessThan(10);
  (await second).release();
});
