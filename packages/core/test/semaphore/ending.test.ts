import { describe, expect, it } from "vitest";
import type { Semaphore, SemaphoreOptions } from "../../src/index.ts";
import { SlotsWorld } from "../support/slots-world.ts";

async function started(world: SlotsWorld, options: Partial<SemaphoreOptions> = {}): Promise<Semaphore> {
  const semaphore = world.semaphore(options);
  await semaphore.start();
  return semaphore;
}

/** What the store has on record of each member, by its id. */
async function recorded(world: SlotsWorld): Promise<Record<string, number>> {
  const { members } = await world.memory.inspect("semaphore/ocr");
  return Object.fromEntries(members.map(({ id, held }) => [id, held]));
}

describe("drain", () => {
  it("serves callers that wait, gives slots back as calls end, and leaves when nothing runs", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world, { memberId: "a" });
    const [one, two] = [await semaphore.acquire(), await semaphore.acquire()];
    const waits = semaphore.acquire();
    const drained = semaphore.drain();
    await expect(semaphore.acquire()).rejects.toMatchObject({ code: "DT_STOPPED", message: /is being drained/ });
    expect(() => semaphore.tryAcquire()).toThrow(expect.objectContaining({ code: "DT_STOPPED" }));
    one.release();
    const served = await waits;
    expect(semaphore.status()).toMatchObject({ state: "draining", inUse: 2, waiting: 0 });
    two.release();
    await world.runtime.advance(2_000);
    expect(semaphore.status()).toMatchObject({ held: 1, inUse: 1 });
    expect(world.syncs).toBeLessThan(10);
    expect(served.signal.aborted).toBe(false);
    served.release();
    expect(await drained).toBe(true);
    expect(await recorded(world)).toEqual({});
    expect(semaphore.status()).toMatchObject({ state: "stopped", held: 0, inUse: 0, lost: 0 });
  });

  it("hands the slots of a process over while its last calls run", async () => {
    const world = new SlotsWorld();
    const [a, b] = [await started(world), await started(world)];
    const slots = [await a.acquire(), await a.acquire()];
    const waits = b.acquire();
    await world.runtime.advance(100);
    const drained = a.drain();
    slots[0]?.release();
    await world.runtime.advance(10);
    expect(b.status()).toMatchObject({ held: 1, inUse: 1 });
    slots[1]?.release();
    expect(await drained).toBe(true);
    (await waits).release();
  });

  it("that takes too long ends as a stop does, and answers false", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world, { memberId: "a" });
    const slot = await semaphore.acquire(2);
    const waits = semaphore.acquire();
    const refused = expect(waits).rejects.toMatchObject({ code: "DT_STOPPED" });
    const drained = semaphore.drain({ timeout: 100 });
    await world.runtime.advance(99);
    expect(slot.lost).toBe(false);
    await world.runtime.advance(1);
    await refused;
    expect(slot.lost).toBe(true);
    expect(await drained).toBe(false);
    expect(await recorded(world)).toEqual({ a: 2 });
  });

  it("of one that never started ends at once", async () => {
    const semaphore = new SlotsWorld().semaphore();
    expect(await semaphore.drain()).toBe(true);
    await expect(semaphore.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
  });

  it("waits for calls of run and wrap", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world);
    const calls = [semaphore.run(() => world.elapsed(100)), semaphore.wrap(() => world.elapsed(200))()];
    const drained = semaphore.drain();
    await world.runtime.advance(200);
    await Promise.all(calls);
    expect(await drained).toBe(true);
  });
});

describe("stop", () => {
  it("fires the signals of calls that run, which are reported until they end", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world, { memberId: "a" });
    const lost: unknown[] = [];
    semaphore.on("lost", (event) => lost.push(event));
    const slots = [await semaphore.acquire(), await semaphore.acquire()];
    await semaphore.stop();
    expect(lost).toHaveLength(2);
    for (const slot of slots) {
      expect(slot.lost).toBe(true);
      expect(slot.signal.reason).toMatchObject({ code: "DT_SLOT_LOST", message: expect.stringContaining("stopped") });
    }
    expect(semaphore.status()).toMatchObject({ state: "stopped", inUse: 2 });
    await world.runtime.advance(30_000);
    expect(await recorded(world)).toEqual({ a: 2 });
    slots[0]?.release();
    await world.runtime.advance(10);
    expect(semaphore.status()).toMatchObject({ held: 1, inUse: 1 });
    slots[1]?.release();
    await world.runtime.advance(10);
    expect(await recorded(world)).toEqual({});
    expect(world.runtime.pendingTimers).toBe(0);
  });

  it("in the instant of the first grant goes on reporting what runs", async () => {
    const world = new SlotsWorld();
    const semaphore = world.semaphore({ memberId: "a" });
    const slot = await semaphore.acquire();
    await semaphore.stop();
    await world.runtime.advance(30_000);
    expect((await recorded(world))["a"]).toBeGreaterThanOrEqual(1);
    slot.release();
    await world.runtime.advance(10);
    expect(await recorded(world)).toEqual({});
  });

  it("leaves the row of calls that run alone once the store is closed", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world);
    const slot = await semaphore.acquire();
    const errors: unknown[] = [];
    semaphore.on("storeError", (event) => errors.push(event));
    await semaphore.stop();
    await world.memory.close();
    await world.runtime.advance(60_000);
    slot.release();
    await world.runtime.advance(60_000);
    expect(errors).toHaveLength(1);
    expect(world.runtime.pendingTimers).toBe(0);
  });

  it("ends a start under way, and refuses its callers", async () => {
    const world = new SlotsWorld();
    world.isDown = true;
    const semaphore = world.semaphore();
    const [start, waits] = [semaphore.start(), semaphore.acquire()];
    const refused = Promise.all([
      expect(start).rejects.toMatchObject({ code: "DT_STOPPED" }),
      expect(waits).rejects.toMatchObject({ code: "DT_STOPPED" }),
    ]);
    await world.runtime.advance(500);
    await semaphore.stop();
    await refused;
    expect(world.runtime.pendingTimers).toBe(0);
  });

  it("leaves no timer behind, and may be called again", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world, { maxHold: "1m" });
    await semaphore.run(() => undefined);
    await semaphore.stop();
    await semaphore.stop();
    await semaphore[Symbol.asyncDispose]();
    expect(world.runtime.pendingTimers).toBe(0);
    expect(await recorded(world)).toEqual({});
  });
});

describe("a restart under one id", () => {
  it("counts the slots of the old process until it is stale", async () => {
    const world = new SlotsWorld();
    const old = await started(world, { memberId: "a", max: 1 });
    await old.acquire();
    await world.runtime.advance(1_000);
    // The old process is gone: its requests reach nothing.
    world.isDown = true;
    const next = world.semaphore({ memberId: "a", max: 1, store: world.memory });
    let gotMs = 0;
    void next.acquire().then(() => {
      gotMs = world.runtime.now();
    });
    await world.runtime.advance(13_000);
    expect(gotMs).toBeGreaterThan(10_000);
    expect(gotMs).toBeLessThan(12_100);
  });

  it("fences the old process, which begins nothing more and leaves when its calls have ended", async () => {
    const world = new SlotsWorld();
    const old = await started(world, { memberId: "a" });
    const fenced: unknown[] = [];
    old.on("fenced", (event) => fenced.push(event));
    const slot = await old.acquire();
    const rival = await started(world, { memberId: "a" });
    await world.runtime.advance(3_000);
    expect(fenced).toEqual([{ memberId: "a" }]);
    expect(old.status()).toMatchObject({ state: "fenced", inUse: 1 });
    expect(old.tryAcquire()).toBeUndefined();
    await expect(old.acquire()).rejects.toMatchObject({ code: "DT_MEMBER_FENCED" });
    const both = rival.acquire(2);
    slot.release();
    await world.runtime.advance(1_000);
    expect((await both).cost).toBe(2);
    expect(await recorded(world)).toEqual({ a: 2 });
    await old.stop();
  });
});

describe("a start", () => {
  it("that fails is tried again, and told by an event where no caller waits", async () => {
    const world = new SlotsWorld();
    world.isDown = true;
    const semaphore = world.semaphore();
    const failed: unknown[] = [];
    semaphore.on("startFailed", (event) => failed.push(event));
    expect(semaphore.tryAcquire()).toBeUndefined();
    await world.runtime.advance(20_500);
    expect(failed).toEqual([{ error: expect.objectContaining({ code: "DT_STORE_UNAVAILABLE" }) }]);
    expect(semaphore.status()).toMatchObject({ lastError: { code: "DT_STORE_UNAVAILABLE" } });
    world.isDown = false;
    await world.runtime.advance(3_000);
    expect(semaphore.status().state).toBe("running");
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it("names the semaphore when it gives up, and is ended by its signal", async () => {
    const world = new SlotsWorld();
    world.isDown = true;
    const semaphore = world.semaphore();
    const failed = expect(semaphore.start({ timeout: 1_000 })).rejects.toMatchObject({
      message: expect.stringMatching(/^the semaphore "ocr" did not start: \d+ tries/),
    });
    await world.runtime.advance(2_000);
    await failed;
    const ended = new AbortController();
    const aborted = expect(semaphore.start({ signal: ended.signal })).rejects.toBe("enough");
    ended.abort("enough");
    await aborted;
    await semaphore.stop();
    expect(semaphore.status().state).toBe("stopped");
  });
});
