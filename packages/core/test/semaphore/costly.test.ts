import { describe, expect, it } from "vitest";
import type { Semaphore } from "../../src/index.ts";
import { SlotsWorld, withoutHints, withoutQueue } from "../support/slots-world.ts";

/** Five busy processes and one that is idle share 6 slots. */
async function busyFleet(kind?: ConstructorParameters<typeof SlotsWorld>[1]) {
  const world = new SlotsWorld(1, kind);
  Object.assign(world, { onwardMs: 0.5, backMs: 0.5 });
  const [costly, ...busy] = Array.from({ length: 6 }, () => world.semaphore({ max: 6 })) as [Semaphore, ...Semaphore[]];
  for (const semaphore of busy) for (let i = 0; i < 10; i++) world.calls(semaphore, 50).catch(() => undefined);
  const started = costly.start();
  await world.runtime.advance(3_000);
  await started;
  return { world, costly, busy };
}

describe("a call that costs more than its process is sure to get", () => {
  it.each([
    [5, "with hints", undefined, 300],
    [6, "with hints", undefined, 300],
    [6, "without hints", withoutHints, 150],
  ] as const)("waits for its turn beside busy processes: cost %i, %s", async (cost, _, kind, leastCalls) => {
    const { world, costly, busy } = await busyFleet(kind);
    const before = busy.map((semaphore) => semaphore.status().calls.granted);
    const heard: unknown[] = [];
    costly.on("costly", (event) => heard.push(event));
    let served = 0;
    void (async () => {
      for (;;) {
        const slot = await costly.acquire(cost);
        served += 1;
        world.begins(cost);
        await world.elapsed(50);
        world.ends(slot);
      }
    })();
    await world.runtime.advance(20_000);
    expect(served).toBeGreaterThan(8);
    expect(world.peak).toBe(6);
    expect(heard[0]).toMatchObject({ cost, guaranteed: 1 });
    // 400 calls of 50 ms come to one slot for 20 s, which is the part of each.
    for (const [index, semaphore] of busy.entries())
      expect(semaphore.status().calls.granted - (before[index] as number)).toBeGreaterThan(leastCalls);
  });

  it("is refused where the store has no queue, with what is sure", async () => {
    const { costly } = await busyFleet(withoutQueue);
    expect(() => costly.tryAcquire(2)).toThrow(
      /2 slots are more than a process is sure to get: 1, of 6 slots for 6 processes; ask for less/,
    );
    await expect(costly.acquire(2)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    await expect(costly.acquire(1, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
  });

  it.each([
    ["a cap", (costly: Semaphore) => costly.cap(4), 8],
    ["a lower max", (costly: Semaphore) => costly.update({ max: 5 }), 5],
  ] as const)("that may not be served, because of %s, keeps no slots from the others", async (_, lower, most) => {
    const world = new SlotsWorld();
    Object.assign(world, { onwardMs: 0.5, backMs: 0.5 });
    const fleet = Array.from({ length: 4 }, () => world.semaphore({ max: 8 }));
    const [costly, ...busy] = fleet as [Semaphore, ...Semaphore[]];
    for (const semaphore of busy) for (let i = 0; i < 10; i++) world.calls(semaphore, 50).catch(() => undefined);
    await Promise.all([costly.start(), world.runtime.advance(12_000)]);
    const served = costly.acquire(6);
    lower(costly);
    await world.runtime.advance(3_000);
    const before = world.begun;
    await world.runtime.advance(10_000);
    expect((world.begun - before) * 50).toBeGreaterThan(0.9 * most * 10_000);
    expect(costly.status()).toMatchObject({ inUse: 0, waiting: 1 });
    costly.cap();
    costly.update({ max: 8 });
    await world.runtime.advance(10_000);
    expect((await served).cost).toBe(6);
  });

  it("is refused above max, on any store", async () => {
    const { costly } = await busyFleet();
    await expect(costly.acquire(7)).rejects.toMatchObject({
      code: "DT_INVALID_COST",
      message: expect.stringContaining("7 slots are more than max (6)"),
    });
  });
});
