import { describe, expect, it } from "vitest";
import type { Registration, Report, View } from "../../src/index.ts";
import { altered, SlotsWorld, withoutQueue } from "../support/slots-world.ts";

/** A world whose requests are kept. */
function watched(kind?: ConstructorParameters<typeof SlotsWorld>[1]) {
  const world = new SlotsWorld(1, kind);
  const registrations: Registration[] = [];
  const reports: Report[] = [];
  const change: { answer: (view: View) => View } = { answer: (view) => view };
  const store = altered(world.store, {
    register: (group, registration, signal) => {
      registrations.push(registration);
      return world.store.register(group, registration, signal);
    },
    sync: async (group, member, report, signal) => {
      reports.push(report);
      return change.answer(await world.store.sync(group, member, report, signal));
    },
  });
  return { world, store, registrations, reports, change };
}

describe("an answer", () => {
  it("is valid from the sending of its request on", async () => {
    const { world, store } = watched();
    Object.assign(world, { onwardMs: 200, backMs: 200 });
    const semaphore = world.semaphore({ store });
    const start = semaphore.start();
    while (semaphore.status().state !== "running") await world.runtime.advance(1);
    await start;
    expect(semaphore.status().validForMs).toBeLessThanOrEqual(5_250 - 200);
  });

  it("that is read after its deadline is ignored, although its timer did not run", async () => {
    const { world, store, reports } = watched();
    const semaphore = world.semaphore({ store });
    await semaphore.start();
    world.backMs = 300;
    const before = reports.length;
    while (reports.length === before) await world.runtime.advance(1);
    world.runtime.jump(2_000);
    await world.runtime.advance(0);
    expect(semaphore.status().lastError).toMatchObject({ code: "DT_STORE_TIMEOUT", message: /too late/ });
  });

  it("by which more store time went by than a stale age ends the share: the clock here stood", async () => {
    const { world, store, change } = watched();
    const semaphore = world.semaphore({ store });
    const slot = await semaphore.acquire();
    change.answer = (view) => ({ ...view, storeTimeMs: view.storeTimeMs + 20_000 });
    await world.runtime.advance(1_100);
    expect(slot.lost).toBe(true);
    expect(semaphore.status()).toMatchObject({ valid: true, lost: 1 });
  });

  it("that the contract does not allow is an error, and changes nothing", async () => {
    const { world, store, change } = watched();
    const semaphore = world.semaphore({ store });
    await semaphore.start();
    change.answer = (view) => ({ ...view, held: -1 });
    await world.runtime.advance(1_100);
    expect(semaphore.status()).toMatchObject({ held: 2, lastError: { code: "DT_STORE_REPLY" } });
  });
});

describe("a request", () => {
  it("of one that was forgotten says so, and claims what it validly holds", async () => {
    const { world, store, registrations } = watched();
    const semaphore = world.semaphore({ store });
    await semaphore.acquire();
    await world.memory.repair("semaphore/ocr", { reset: true });
    await world.runtime.advance(1_100);
    expect(registrations.map(({ rejoin, claim }) => ({ rejoin, claim }))).toEqual([
      { rejoin: false, claim: 0 },
      { rejoin: true, claim: 2 },
    ]);
  });

  it("does not count callers that a cap keeps waiting, and wants no more than the cap", async () => {
    const { world, store, reports } = watched();
    const semaphore = world.semaphore({ store });
    await semaphore.acquire();
    semaphore.cap(1);
    const waits = semaphore.acquire();
    waits.catch(() => undefined);
    await world.runtime.advance(3_000);
    expect(reports.at(-1)?.demand).toMatchObject({ want: 1, slots: { waiting: 0, head: 0 } });
    expect(reports.at(-1)?.activity).toEqual({ used: 1, waiting: 1 });
    await semaphore.stop();
  });

  it("of one that ends wants nothing, while its last calls run", async () => {
    const { world, store, reports } = watched();
    const semaphore = world.semaphore({ store });
    const slot = await semaphore.acquire();
    const drained = semaphore.drain();
    await world.runtime.advance(100);
    expect(reports.at(-1)).toMatchObject({ held: 1, demand: { want: 0, slots: { waiting: 0 } } });
    slot.release();
    expect(await drained).toBe(true);
  });

  it("names the turn as its sync interval where the store has no queue: 50 round trips, 100 ms at least", async () => {
    const { world, store, reports } = watched(withoutQueue);
    const semaphore = world.semaphore({ store });
    await semaphore.start();
    await world.runtime.advance(1_100);
    expect(reports.at(-1)?.demand).toEqual({ want: 0, syncMs: 100 });
    world.backMs = 10;
    await world.runtime.advance(20_000);
    const { syncMs = 0 } = reports.at(-1)?.demand ?? {};
    expect(syncMs).toBeGreaterThanOrEqual(50 * 5);
    expect(syncMs).toBeLessThanOrEqual(50 * 15);
    const set = watched(withoutQueue);
    await set.world.semaphore({ store: set.store, turn: "70ms" }).start();
    expect(set.registrations[0]?.demand?.syncMs).toBe(70);
  });

  it("under way is given up at the end", async () => {
    const { world, store, reports } = watched();
    const semaphore = world.semaphore({ store, storeTimeout: "4s", validity: "5s" });
    await semaphore.start();
    world.backMs = 3_000;
    const before = reports.length;
    while (reports.length === before) await world.runtime.advance(1);
    world.backMs = 0;
    await semaphore.stop();
    expect(semaphore.status().state).toBe("stopped");
  });
});

describe("slots move soon", () => {
  it("to a process whose first caller comes before it has joined", async () => {
    const world = new SlotsWorld();
    Object.assign(world, { onwardMs: 0.5, backMs: 0.5 });
    const holder = world.semaphore();
    const starting = holder.start();
    await world.runtime.advance(100);
    await starting;
    expect(holder.status().held).toBe(2);
    const first = world.semaphore().acquire();
    await world.runtime.advance(20);
    expect((await first).cost).toBe(1);
  });

  it("from a process where they lie idle after many short calls, also on a store without a queue", async () => {
    const world = new SlotsWorld(1, withoutQueue);
    const [a, b] = [world.semaphore({ max: 3 }), world.semaphore({ max: 3 })];
    await a.start();
    await b.start();
    const waits = b.acquire();
    await world.runtime.advance(3_000);
    const slot = await waits;
    for (let i = 0; i < 300; i++) {
      const one = a.tryAcquire();
      const two = a.tryAcquire();
      await world.runtime.advance(5);
      one?.release();
      two?.release();
      await world.runtime.advance(5);
    }
    expect(a.status()).toMatchObject({ held: 2, inUse: 0 });
    await world.runtime.advance(70);
    expect(a.status().held).toBeLessThan(2);
    slot.release();
  });

  it("to a process that only looks whether a slot is there", async () => {
    const world = new SlotsWorld();
    const [a, b] = [world.semaphore({ max: 1 }), world.semaphore({ max: 1 })];
    await a.start();
    await b.start();
    (await a.acquire()).release();
    await world.runtime.advance(100);
    const before = world.syncs;
    expect(b.tryAcquire()).toBeUndefined();
    await world.runtime.advance(25);
    expect(world.syncs).toBeGreaterThan(before);
    let tries = 0;
    for (; tries < 300 && b.tryAcquire() === undefined; tries++) await world.runtime.advance(10);
    expect(tries).toBeLessThan(300);
  });
});
