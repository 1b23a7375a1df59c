import { describe, expect, it } from "vitest";
import type { Semaphore, SemaphoreOptions } from "../../src/index.ts";
import { SlotsWorld, withoutHints, withoutQueue } from "../support/slots-world.ts";

const KINDS = [
  ["with a queue", undefined],
  ["without a queue", withoutQueue],
] as const;

/** Listens to some events, and keeps what they tell. */
function heard(semaphore: Semaphore, ...names: Parameters<Semaphore["on"]>[0][]): unknown[] {
  const events: unknown[] = [];
  for (const name of names) semaphore.on(name, (event: object) => events.push({ [name]: event }));
  return events;
}

async function started(world: SlotsWorld, options: Partial<SemaphoreOptions> = {}): Promise<Semaphore> {
  const semaphore = world.semaphore(options);
  await semaphore.start();
  return semaphore;
}

describe.each(KINDS)("a process that loses the store, %s", (_, kind) => {
  it("loses its slots at the end of their validity, and begins nothing", async () => {
    const world = new SlotsWorld(1, kind);
    const semaphore = await started(world);
    const events = heard(semaphore, "lost", "validityLost");
    const [slot, quiet] = [await semaphore.acquire(), await semaphore.acquire()];
    const { signal } = slot;
    await world.runtime.advance(100);
    world.isDown = true;
    const { validForMs } = semaphore.status();
    await world.runtime.advance(Math.ceil(validForMs) - 1);
    expect(signal.aborted).toBe(false);
    expect(slot.lost).toBe(false);
    await world.runtime.advance(2);
    expect(signal.reason).toMatchObject({ code: "DT_SLOT_LOST", message: expect.stringContaining("did not answer") });
    expect([slot.lost, quiet.lost, quiet.signal.aborted]).toEqual([true, true, true]);
    expect(events).toEqual([
      { lost: { cost: 1, heldMs: expect.any(Number) } },
      { lost: { cost: 1, heldMs: expect.any(Number) } },
      { validityLost: { silentMs: 5_250 } },
    ]);
    slot.release();
    expect(semaphore.tryAcquire()).toBeUndefined();
    expect(semaphore.status()).toMatchObject({ valid: false, validForMs: 0, lost: 2, inUse: 1 });
  });

  it("claims what runs when the store is back, and has a slot for a new call once there is one", async () => {
    const world = new SlotsWorld(1, kind);
    const semaphore = await started(world);
    const [slot, other] = [await semaphore.acquire(), await semaphore.acquire()];
    // Another process goes on: once the first one is stale, it has both slots.
    const rival = await started(world, { store: kind ? kind(world.memory) : world.memory });
    const taking = [rival.acquire(), rival.acquire()];
    await world.runtime.advance(100);
    world.isDown = true;
    await world.runtime.advance(9_000);
    expect(rival.status()).toMatchObject({ inUse: 0, waiting: 2 });
    await world.runtime.advance(3_000);
    const taken = await Promise.all(taking);
    expect(slot.signal.aborted).toBe(true);
    world.isDown = false;
    const events = heard(semaphore, "validityRegained", "forgotten", "rejoined");
    await world.runtime.advance(2_500);
    expect(events.map((event) => Object.keys(event as object)[0])).toEqual([
      "forgotten",
      "validityRegained",
      "rejoined",
    ]);
    const { held } = await world.memory.inspect("semaphore/ocr");
    expect(held).toBe(4);
    expect(rival.tryAcquire()).toBeUndefined();
    for (const one of taken) one.release();
    await world.runtime.advance(3_000);
    expect([semaphore.tryAcquire(), rival.tryAcquire()]).toEqual([undefined, undefined]);
    expect(slot.lost && slot.signal.aborted).toBe(true);
    other.release();
    const next = rival.acquire();
    await world.runtime.advance(3_000);
    expect((await next).lost).toBe(false);
    slot.release();
  });

  it("refuses callers that wait with the store's error, once validity has ended", async () => {
    const world = new SlotsWorld(1, kind);
    const semaphore = await started(world, { max: 1 });
    await semaphore.acquire();
    world.isDown = true;
    const waits = semaphore.acquire();
    const refused = expect(waits).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    await world.runtime.advance(8_000);
    await refused;
    const late = expect(semaphore.acquire()).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    await world.runtime.advance(1_000);
    await late;
    expect(semaphore.status().lastError).toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
  });

  it("goes on after a short outage as if there had been none", async () => {
    const world = new SlotsWorld(1, kind);
    const semaphore = await started(world);
    const slot = await semaphore.acquire();
    world.isDown = true;
    await world.runtime.advance(3_000);
    expect(semaphore.tryAcquire()).toBeDefined();
    world.isDown = false;
    await world.runtime.advance(5_000);
    expect(slot.lost).toBe(false);
    expect(semaphore.status()).toMatchObject({ valid: true, lost: 0, inUse: 2 });
  });
});

describe("a process that stood still", () => {
  it("finds its slots lost at its first look, before any timer runs", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world);
    const [slot, released] = [await semaphore.acquire(), await semaphore.acquire()];
    world.runtime.jump(6_000);
    expect(semaphore.tryAcquire()).toBeUndefined();
    released.release();
    expect(released.lost).toBe(true);
    expect(slot.signal.aborted).toBe(true);
  });

  it("releases a slot once, also where a listener releases it as it is lost", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world);
    const [one, two] = [await semaphore.acquire(), await semaphore.acquire()];
    let lost = 0;
    semaphore.on("lost", () => {
      lost += 1;
      one.release();
      two.release();
    });
    world.runtime.jump(6_000);
    one.release();
    expect(lost).toBe(1);
    expect(semaphore.status().inUse).toBe(0);
  });

  it("loses its slots where the machine was suspended, though its clock stood", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world);
    const events = heard(semaphore, "stoodStill", "lost");
    const slot = await semaphore.acquire();
    await world.runtime.advance(500);
    world.runtime.suspend(60_000);
    expect(semaphore.tryAcquire()).toBeUndefined();
    expect(slot.lost).toBe(true);
    expect(slot.signal.reason).toMatchObject({ message: expect.stringContaining("the machine was suspended") });
    expect(events).toEqual([{ lost: { cost: 1, heldMs: 500 } }, { stoodStill: { forMs: 60_000, what: "machine" } }]);
    await world.runtime.advance(10);
    expect(semaphore.status()).toMatchObject({ valid: true, inUse: 1 });
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it("begins no call of a caller that waits, where a slot is released after the machine was suspended", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world);
    const slot = await semaphore.acquire(2);
    let began = false;
    void semaphore.acquire().then(() => {
      began = true;
    });
    await world.runtime.advance(500);
    world.runtime.suspend(60_000);
    slot.release();
    expect(semaphore.status()).toMatchObject({ inUse: 0, waiting: 1, valid: false });
    await world.runtime.advance(3_000);
    expect(began).toBe(true);
  });

  it("ignores an answer to a request that was under way while it was suspended", async () => {
    const world = new SlotsWorld();
    const semaphore = await started(world);
    world.backMs = 200;
    await world.runtime.advance(1_050);
    world.runtime.suspend(60_000);
    await world.runtime.advance(151);
    expect(semaphore.status().valid).toBe(false);
    await world.runtime.advance(1_000);
    expect(semaphore.status().valid).toBe(true);
  });
});

it("an answer that comes too late is ignored, and so is what it gave", async () => {
  const world = new SlotsWorld(1, withoutHints);
  const semaphore = await started(world, { max: 1, storeTimeout: 100 });
  await world.runtime.advance(500);
  // What it is answered from here on comes too late: it has given its slot back, and another process may get it.
  const other = await started(world, { max: 1, store: world.memory });
  const waits = other.acquire();
  await world.runtime.advance(2_000);
  const slot = await waits;
  world.backMs = 400;
  const late = semaphore.acquire(1, { timeout: 1_000 });
  const refused = expect(late).rejects.toMatchObject({ code: "DT_TIMEOUT" });
  slot.release();
  await world.runtime.advance(1_000);
  await refused;
  expect(semaphore.status()).toMatchObject({ held: 0, inUse: 0, lastError: { code: "DT_STORE_TIMEOUT" } });
  expect((await world.memory.inspect("semaphore/ocr")).held).toBe(1);
  world.backMs = 0;
  const inTime = semaphore.acquire(1, { timeout: 1_000 });
  await world.runtime.advance(1_000);
  (await inTime).release();
});
