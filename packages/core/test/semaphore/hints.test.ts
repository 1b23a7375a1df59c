import { describe, expect, it } from "vitest";
import type { Report, Semaphore, SemaphoreOptions, SlotHint } from "../../src/index.ts";
import { altered, hintable, SlotsWorld } from "../support/slots-world.ts";

/** A semaphore that waits for a slot which another process has, on a store whose hints the test sends. */
async function waiting(options: Partial<SemaphoreOptions> = {}) {
  const world = new SlotsWorld();
  const { store, send } = hintable(world.store);
  const reports: Report[] = [];
  const watched = altered(store, {
    sync: (group, member, report, signal) => {
      reports.push(report);
      return store.sync(group, member, report, signal);
    },
  });
  const rival = world.semaphore({ max: 2, store: world.memory });
  await rival.start();
  const slots = [await rival.acquire(), await rival.acquire()];
  const semaphore = world.semaphore({ max: 2, store: watched, ...options });
  await semaphore.start();
  const granted: Promise<unknown> = semaphore.acquire();
  granted.catch(() => undefined);
  await world.runtime.advance(1_500);
  expect(semaphore.status()).toMatchObject({ held: 0, inUse: 0, waiting: 1, isQueued: true });
  const seq = (): number => reports.at(-1)?.seq ?? 0;
  return { world, semaphore, rival, slots, send, reports, seq };
}

const offer = (seq: number, change: object = {}): SlotHint => ({
  kind: "offer",
  held: 1,
  seq,
  waterLevel: 1,
  wanted: false,
  ...change,
});

const inUse = (semaphore: Semaphore): number => semaphore.status().inUse;

describe("an offer", () => {
  it("counts at once where it names the last request, and the next report says so", async () => {
    const { world, semaphore, send, reports, seq } = await waiting();
    send(offer(seq()));
    expect(semaphore.status()).toMatchObject({ held: 1, inUse: 1, waiting: 0 });
    const before = reports.length;
    await world.runtime.advance(250);
    expect(reports.slice(before).map(({ demand }) => demand?.slots?.tookOffer)).toEqual([true]);
  });

  it("that names another request counts for nothing", async () => {
    const { semaphore, send, seq } = await waiting();
    for (const other of [seq() - 1, seq() + 1, 0]) send(offer(other));
    expect(inUse(semaphore)).toBe(0);
  });

  it("that comes twice counts once", async () => {
    const { semaphore, send, seq } = await waiting();
    const more = semaphore.acquire();
    send(offer(seq()));
    send(offer(seq()));
    expect(semaphore.status()).toMatchObject({ held: 1, inUse: 1, waiting: 1 });
    more.catch(() => undefined);
    await semaphore.stop();
  });

  it("that comes before the answer which it follows holds beyond that answer", async () => {
    const { world, semaphore, send, seq } = await waiting();
    world.backMs = 50;
    await world.runtime.advance(1_000);
    send(offer(seq()));
    expect(semaphore.status()).toMatchObject({ held: 1, inUse: 1 });
    await world.runtime.advance(60);
    expect(semaphore.status()).toMatchObject({ held: 1, inUse: 1 });
  });

  it("counts for nothing once validity has ended", async () => {
    const { world, semaphore, send, seq } = await waiting();
    world.isDown = true;
    world.runtime.jump(6_000);
    send(offer(seq()));
    expect(inUse(semaphore)).toBe(0);
  });

  it.each([
    ["of more than there is", { held: 3 }],
    ["with a water level above what there is", { waterLevel: 3 }],
    ["of a fraction", { held: 1.5 }],
    ["of less than nothing", { held: -1 }],
    ["without a number", { held: Number.NaN }],
    ["of a text", { held: "1" }],
    ["without a request", { seq: undefined }],
    ["without a word on the others", { wanted: 1 }],
    ["of another kind", { kind: "gift" }],
  ])("%s is a forgery, and counts for nothing", async (_, change) => {
    const { semaphore, send, seq } = await waiting();
    send(offer(seq(), change));
    for (const hint of [null, "offer", 1, {}]) send(hint as never);
    expect(semaphore.status()).toMatchObject({ held: 0, inUse: 0, waiting: 1 });
  });
});

describe("an ask", () => {
  it("makes a member give up idle slots soon, and those in use with their release", async () => {
    const { world, rival, semaphore, slots } = await waiting();
    slots[0]?.release();
    await world.runtime.advance(20);
    expect(rival.status()).toMatchObject({ held: 1, inUse: 1 });
    expect(inUse(semaphore)).toBe(0);
    // The hint of the store went to nobody: the test has the hints. The next request brings the slot.
    await world.runtime.advance(1_100);
    expect(inUse(semaphore)).toBe(1);
  });

  it("costs a request at most a few times a second, however many a stranger sends", async () => {
    const world = new SlotsWorld();
    const { store, send } = hintable(world.store);
    const semaphore = world.semaphore({ max: 10, store });
    await semaphore.start();
    await world.runtime.advance(100);
    const before = world.syncs;
    for (let ms = 0; ms < 10_000; ms += 10) {
      send({ kind: "ask", give: 10, waterLevel: 0 });
      send(undefined);
      await world.runtime.advance(10);
    }
    expect(world.syncs - before).toBeLessThan(200);
    await world.runtime.advance(2_000);
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it.each([{ give: -1 }, { give: Number.NaN }, { waterLevel: undefined }, { give: "1" }])(
    "that is malformed counts for nothing: %o",
    async (change) => {
      const world = new SlotsWorld();
      const { store, send } = hintable(world.store);
      const semaphore = world.semaphore({ max: 10, store });
      await semaphore.start();
      await world.runtime.advance(100);
      const before = world.syncs;
      send({ kind: "ask", give: 1, waterLevel: 1, ...change } as SlotHint);
      await world.runtime.advance(100);
      expect(world.syncs).toBe(before);
      expect(semaphore.status().held).toBe(10);
    },
  );
});

it("hints that may have been missed make a member ask at once", async () => {
  const { world, slots, semaphore, send } = await waiting();
  await world.runtime.advance(1_000);
  slots[0]?.release();
  await world.runtime.advance(10);
  expect(inUse(semaphore)).toBe(0);
  send(undefined);
  await world.runtime.advance(5);
  expect(inUse(semaphore)).toBe(1);
});

it("a store that cannot listen does not keep a semaphore from working, and is asked to listen again", async () => {
  const world = new SlotsWorld();
  let asked = 0;
  const store = altered(world.store, {
    onSlotHint: async () => {
      asked += 1;
      throw new Error("no channel");
    },
  });
  const semaphore = world.semaphore({ store });
  const errors: unknown[] = [];
  semaphore.on("storeError", (event) => errors.push(event));
  await semaphore.run(() => undefined);
  await world.runtime.advance(3_000);
  expect(asked).toBeGreaterThan(2);
  expect(errors[0]).toMatchObject({ operation: "onSlotHint", error: { code: "DT_STORE_UNAVAILABLE" } });
  await semaphore.stop();
});

it("listening ends with the semaphore, also where it had not begun by then", async () => {
  const world = new SlotsWorld();
  const { store, listeners } = hintable(world.store);
  const semaphore = world.semaphore({ store });
  await semaphore.start();
  expect(listeners.size).toBe(1);
  await semaphore.stop();
  expect(listeners.size).toBe(0);
  let begin: () => void = () => undefined;
  const late = hintable(world.store, new Promise((resolve) => (begin = resolve)));
  const other = world.semaphore({ store: late.store });
  await other.start();
  const slot = await other.acquire();
  await other.stop();
  expect(late.listeners.size).toBe(1);
  begin();
  await world.runtime.advance(1);
  expect(late.listeners.size).toBe(0);
  slot.release();
});
