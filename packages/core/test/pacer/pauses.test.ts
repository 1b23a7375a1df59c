import { describe, expect, it } from "vitest";
import type { Pacer, PermitLedger, PermitRequest } from "../../src/index.ts";
import { settle } from "../../src/testing/index.ts";
import { groupedPacerWorld } from "../support/grouped-pacer-world.ts";
import { linkedPacerWorld, pacerWorld } from "../support/pacer-world.ts";

const WALL_MS = Date.UTC(2026, 10, 29);

/** A world whose ledger notes the requests that reach it. */
function watched(options: Parameters<typeof pacerWorld>[0] = { every: 100 }) {
  const world = pacerWorld(options);
  const requests: PermitRequest[] = [];
  const store: PermitLedger = {
    reserve: (key, request, signal) => {
      requests.push(request);
      return world.store.reserve(key, request, signal);
    },
    release: (...args) => world.store.release(...args),
  };
  return { ...world, requests, store };
}

function forMsOf(pacer: Pacer): number[] {
  const seen: number[] = [];
  pacer.on("paused", ({ forMs }) => seen.push(forMs));
  return seen;
}

describe("pauseUntil of a pacer", () => {
  it("keeps every process from using a permit before then, those held ahead as well", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const [a, b] = [create(), create()];
    const seen = ask(a, 3, "a");
    await settle();
    ask(b, 2, "b");
    await runtime.advance(120);
    expect(seen).toEqual(["a0@0", "a1@100"]);
    a.pauseUntil("1s");
    // B holds instants at 300 and 400, and learns of the pause with its next reservation.
    await settle();
    ask(b, 1, "c");
    await runtime.advance(999);
    expect(seen).toHaveLength(2);
    await runtime.advance(1_000);
    expect(seen.slice(2).map((entry) => Number(entry.split("@")[1]))).toEqual([1_120, 1_220, 1_320, 1_420]);
    expect(new Set(seen.slice(2).map((entry) => entry.slice(0, 2)))).toEqual(new Set(["a2", "b0", "b1", "c0"]));
  });

  it("is said to the store by itself when no caller waits, and with their request when callers do", async () => {
    const { runtime, store, requests, create } = watched();
    const pacer = create({ store });
    pacer.pauseUntil("5s");
    await settle();
    expect(requests).toEqual([expect.objectContaining({ pauseMs: 5_000, maxReserved: 0 })]);
    const waiting = pacer.acquire();
    await runtime.advance(1_000);
    pacer.pauseUntil("9s");
    await settle();
    expect(requests.slice(1).map(({ count, pauseMs }) => [count, pauseMs])).toEqual([
      [1, undefined],
      [1, 9_000],
    ]);
    await runtime.advance(9_000);
    await waiting;
  });

  it("lets a process that comes later wait as well", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    create().pauseUntil("2s");
    await runtime.advance(500);
    const seen = ask(create(), 2);
    await runtime.advance(2_000);
    expect(seen).toEqual(["0@2000", "1@2100"]);
  });

  it("rejects callers at once whose time ends before it does, and says when it is over", async () => {
    const { runtime, create } = pacerWorld({ every: 100 });
    const [a, b] = [create(), create()];
    await a.acquire();
    const held = a.acquire(1, { timeout: "3s" }).catch((error: unknown) => error);
    const patient = a.acquire(1, { timeout: "30s" });
    await settle();
    a.pauseUntil("10s");
    expect(await held).toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 10_000 });
    await settle();
    const asked = [a, b].map((pacer) => pacer.acquire(1, { timeout: "2s" }).catch((error: unknown) => error));
    await settle();
    for (const error of await Promise.all(asked))
      expect(error).toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: expect.closeTo(10_000) });
    expect(a.waiting).toBe(1);
    expect(await b.tryAcquire()).toBeUndefined();
    await expect(b.acquire(1, { timeout: 0 })).rejects.toMatchObject({ retryAfterMs: expect.closeTo(10_100) });
    await runtime.advance(10_000);
    await patient;
  });

  it("is told by status and by an event, once here and once where it is learned of", async () => {
    const { runtime, link, create } = linkedPacerWorld();
    const [a, b] = [create(), create()];
    const [here, there] = [forMsOf(a), forMsOf(b)];
    link.thereMs = 10;
    a.pauseUntil("1s");
    expect(a.status().pausedForMs).toBe(1_000);
    await runtime.advance(100);
    expect(here).toEqual([1_000]);
    expect(b.status().pausedForMs).toBe(0);
    void b.tryAcquire();
    await runtime.advance(10);
    expect(there).toEqual([900]);
    expect(b.status().pausedForMs).toBe(900);
    a.pauseUntil("100ms");
    await runtime.advance(900);
    expect(here).toEqual([1_000]);
    expect([a, b].map((pacer) => pacer.status().pausedForMs)).toEqual([0, 0]);
  });

  it("takes a Date, an instant and a Retry-After field, and refuses what is none of them", () => {
    const { runtime, create } = pacerWorld();
    const pacer = create({ runtime: Object.assign(runtime, { wallTimeMs: () => WALL_MS }) });
    pacer.pauseUntil("7");
    expect(pacer.status().pausedForMs).toBe(7_000);
    pacer.pauseUntil(new Date(WALL_MS + 9_000));
    expect(pacer.status().pausedForMs).toBe(9_000);
    expect(() => pacer.pauseUntil("soon")).toThrow(expect.objectContaining({ code: "DT_INVALID_OPTION" }));
    pacer.pauseUntil("3d");
    expect(pacer.status().pausedForMs).toBe(86_400_000);
  });

  it("is kept by this process when the store is away, and said with the next request that reaches it", async () => {
    const { runtime, link, create, ask } = linkedPacerWorld();
    const [a, b] = [create(), create()];
    link.fault = "loseCalls";
    a.pauseUntil("2s");
    await runtime.advance(500);
    link.fault = "none";
    expect(a.status().pausedForMs).toBe(1_500);
    const seen = ask(a, 1, "a");
    await settle();
    ask(b, 1, "b");
    await runtime.advance(3_000);
    expect(seen).toEqual(["a0@2000", "b0@2100"]);
  });

  it("rejects here without waiting for the store, at the call and while it is known", async () => {
    const { runtime, link, create } = linkedPacerWorld({ maxReserved: 5 });
    const pacer = create();
    await pacer.acquire();
    const held = pacer.acquire(1, { timeout: "3s" }).catch((error: unknown) => error);
    const patient = pacer.acquire();
    await settle();
    link.thereMs = 200;
    pacer.pauseUntil("10s");
    const never = Symbol("it still waits");
    expect(await Promise.race([held, settle().then(() => never)])).toMatchObject({ retryAfterMs: 10_000 });
    // The patient one was refused, and comes back shortly before the end.
    await runtime.advance(500);
    const late = pacer.acquire(1, { timeout: "2s" }).catch((error: unknown) => error);
    expect(await Promise.race([late, settle().then(() => never)])).toMatchObject({ code: "DT_TIMEOUT" });
    await runtime.advance(11_000);
    await patient;
  });

  it("is said at once by a process whose callers wait to come back to the store", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 1_000, maxReserved: 0 });
    const [a, b] = [create(), create()];
    ask(a, 2, "a");
    await runtime.advance(10);
    a.pauseUntil("30s");
    await settle();
    expect(await b.tryAcquire()).toBeUndefined();
    expect(b.status().pausedForMs).toBeGreaterThan(29_000);
    await b.stop();
    await a.stop();
  });

  it("leaves callers the instants behind it that they hold", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const pacer = create();
    const seen = ask(pacer, 5);
    await runtime.advance(10);
    pacer.pauseUntil("240ms");
    await runtime.advance(1_000);
    expect(seen).toEqual(["0@0", "1@300", "2@400", "3@500", "4@600"]);
    expect(pacer.wasted).toBe(0);
  });

  it("is over for a caller that asks once when it is over, also when the answer does not know of it", async () => {
    const { runtime, link, create } = linkedPacerWorld();
    const pacer = create();
    link.thereMs = 20;
    link.backMs = 50;
    const asked = pacer.acquire(1, { timeout: 0 }).catch((error: unknown) => error);
    await runtime.advance(30);
    pacer.pauseUntil("1s");
    await runtime.advance(70);
    expect(await asked).toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: expect.closeTo(960, -2) });
  });

  it("is said as it is when it becomes longer while it is being said", async () => {
    const { runtime, link, store, create } = linkedPacerWorld();
    const pacer = create();
    link.thereMs = 50;
    pacer.pauseUntil("1s");
    await runtime.advance(10);
    pacer.pauseUntil("5s");
    await runtime.advance(200);
    expect(await store.inspectPermits("k")).toMatchObject({ pausedForMs: expect.closeTo(4_890, -2) });
  });

  it("is said again each second, by a process without callers, until the store has it", async () => {
    const { runtime, link, store, create } = linkedPacerWorld({ storeTimeout: 200 });
    const pacer = create();
    link.fault = "loseCalls";
    pacer.pauseUntil("5s");
    await runtime.advance(1_500);
    expect(link.reserves).toBe(2);
    link.fault = "none";
    await runtime.advance(1_000);
    expect(await store.inspectPermits("k")).toMatchObject({ pausedForMs: expect.closeTo(2_500, -1) });
    await runtime.advance(10_000);
    expect(link.reserves).toBe(3);
    link.fault = "loseCalls";
    pacer.pauseUntil("5s");
    await runtime.advance(250);
    await pacer.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("drops instants of an answer that does not know of it", async () => {
    const { runtime, link, create, ask } = linkedPacerWorld();
    const pacer = create();
    link.thereMs = 50;
    const seen = ask(pacer, 2);
    await runtime.advance(10);
    // The request is on its way, without the pause.
    pacer.pauseUntil("1s");
    await runtime.advance(3_000);
    expect(Number(seen[0]?.split("@")[1])).toBeGreaterThanOrEqual(1_010);
    expect(seen).toHaveLength(2);
  });

  it("is kept by this process where the ledger does not know of pauses, without a storm of requests", async () => {
    const { runtime, store, requests, create, ask } = watched();
    const plain: PermitLedger = {
      ...store,
      reserve: async (key, { pauseMs: _, ...request }, signal) => store.reserve(key, request, signal),
    };
    const pacer = create({ store: plain });
    const seen = ask(pacer, 1);
    await runtime.advance(0);
    pacer.pauseUntil("5s");
    ask(pacer, 2, "later");
    await runtime.advance(4_999);
    expect(seen).toEqual(["0@0"]);
    expect(requests.length).toBeLessThan(6);
    await runtime.advance(1_000);
    expect(seen).toHaveLength(3);
  });

  it("ends with a reset of the key", async () => {
    const { runtime, store, create, ask } = pacerWorld({ every: 100 });
    const pacer = create();
    pacer.pauseUntil("1h");
    const seen = ask(pacer, 2);
    await runtime.advance(1_000);
    await store.resetPermits("k");
    await runtime.advance(1_000);
    expect(seen).toHaveLength(2);
    expect(pacer.status().pausedForMs).toBe(0);
  });

  it("does nothing after stop, and stop waits until it has been said", async () => {
    const { runtime, link, store, create } = linkedPacerWorld();
    const pacer = create();
    link.thereMs = 50;
    pacer.pauseUntil("10s");
    const stopped = pacer.stop();
    pacer.pauseUntil("20s");
    await runtime.advance(100);
    await stopped;
    expect(pacer.status().pausedForMs).toBeLessThan(10_000);
    expect(await store.inspectPermits("k")).toMatchObject({ pausedForMs: expect.closeTo(9_950, -2) });
    expect(runtime.pendingTimers).toBe(0);
  });

  it("asks for one pause at a time, however many responses say the same", async () => {
    const { runtime, requests, store, create } = watched();
    const pacer = create({ store });
    for (let i = 0; i < 100; i++) pacer.pauseUntil(`${5_000 + i}ms`);
    await runtime.advance(0);
    expect(requests.length).toBeLessThanOrEqual(2);
    expect(await pacer.tryAcquire()).toBeUndefined();
    await runtime.advance(5_098);
    expect(await pacer.tryAcquire()).toBeUndefined();
    await runtime.advance(1);
    expect(await pacer.tryAcquire()).toBeDefined();
  });
});

describe("pauseUntil of a grouped pacer", () => {
  it("tells each site at once, and leaves a site that is paused alone", async () => {
    const { runtime, stores, create } = groupedPacerWorld({ stealAfter: 0 });
    const [eu, us] = [create("eu"), create("us")];
    eu.pauseUntil("20s");
    await settle();
    expect(await us.tryAcquire()).toBeUndefined();
    const asked: number[] = [];
    const reserve = stores.us.reserve.bind(stores.us);
    stores.us.reserve = (key, request, signal) => {
      // Other requests say the terms alone.
      if (request.cost === 1) asked.push(runtime.now());
      return reserve(key, request, signal);
    };
    const waiting = eu.acquire();
    await runtime.advance(15_000);
    expect(asked.length).toBeLessThan(3);
    await runtime.advance(6_000);
    await waiting;
  });

  it("pauses every site", async () => {
    const { runtime, create } = groupedPacerWorld();
    const [eu, us] = [create("eu"), create("us")];
    eu.pauseUntil("3s");
    expect(eu.status().pausedForMs).toBe(3_000);
    await settle();
    const at: number[] = [];
    for (const pacer of [eu, us]) for (let i = 0; i < 3; i++) void pacer.acquire().then(() => at.push(runtime.now()));
    await runtime.advance(2_999);
    expect(at).toEqual([]);
    await runtime.advance(1);
    expect(at).toHaveLength(2);
    await runtime.advance(1_000);
    expect(at).toHaveLength(6);
  });
});
