import { describe, expect, it } from "vitest";
import { createPacer, MemoryStore, type PermitRequest, type Reservation } from "../../src/index.ts";
import { instantOf, reservePermits, resetPermits } from "../../src/ledger/index.ts";
import { MemoryPermitTable } from "../../src/permits/memory-permit-table.ts";
import { linkedPacerWorld, pacerWorld } from "../support/pacer-world.ts";

let ids = 0;

/** A key, asked at a time. */
function key(): (atMs: number, changes?: Partial<PermitRequest>) => Reservation {
  const table = new MemoryPermitTable();
  return Object.assign(
    (atMs: number, changes: Partial<PermitRequest> = {}): Reservation =>
      reservePermits(table, { ...PLAIN, id: `r${ids++}`, ...changes }, atMs),
    { table },
  );
}

const PLAIN = { count: 1, cost: 1, everyMs: 1_000, burst: 1, maxReserved: 100, keepMs: 5_000, queueMs: 0 };
const MISMATCH = expect.objectContaining({ code: "DT_PACE_MISMATCH", effect: "definite" });

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return "nothing";
}

describe("the terms of a key (P10)", () => {
  it("are those of its first user, and others are refused without effect", () => {
    const ask = key();
    ask(0, { terms: "a" });
    expect(thrown(() => ask(1, { terms: "b" }))).toMatchObject({
      code: "DT_PACE_MISMATCH",
      message: expect.stringContaining('in use with "a", and this request asks for "b"'),
    });
    expect(instantOf(ask(2, { terms: "a" }), 0)).toBe(1_000);
  });

  it("bind until 10 s after the last use and after all that is reserved", () => {
    const ask = key();
    ask(0, { terms: "a" });
    ask(500, { terms: "a" });
    // The next one is due at 2,000.
    expect(thrown(() => ask(12_000, { terms: "b" }))).toEqual(MISMATCH);
    expect(ask(12_001, { terms: "b" }).granted).toBe(1);
    expect(thrown(() => ask(12_002, { terms: "a" }))).toEqual(MISMATCH);
  });

  it("are not asked of whoever says none, and none are recorded then", () => {
    const ask = key();
    ask(0);
    ask(1, { terms: "a" });
    expect(ask(2).granted).toBe(1);
    expect(thrown(() => ask(3, { terms: "b" }))).toEqual(MISMATCH);
  });

  it("can be replaced: while a change is rolled out both are served, and then only the new ones", () => {
    const ask = key();
    const [old, both, next] = [{ terms: "a" }, { terms: "b", formerTerms: "a" }, { terms: "b" }];
    for (const [i, who] of [old, both, old, both, old].entries()) expect(ask(i, who).granted).toBe(1);
    // Back to the old version, halfway.
    for (const [i, who] of [{ terms: "a", formerTerms: "b" }, both, old].entries())
      expect(ask(10 + i, who).granted).toBe(1);
    for (const [i, who] of [both, next, both, next].entries()) expect(ask(20 + i, who).granted).toBe(1);
    expect(ask(30, next).granted).toBe(1);
    expect(thrown(() => ask(31, old))).toEqual(MISMATCH);
  });

  it("do not keep a request from its repeat", () => {
    const ask = key();
    const first = ask(0, { id: "same", terms: "a" });
    expect(ask(1, { id: "same", terms: "b" })).toMatchObject({ granted: 1, firstMs: first.firstMs });
  });
});

describe("pacers with one key", () => {
  it("of different rates: who comes second is refused, with what to do", async () => {
    const { runtime, create } = pacerWorld();
    const [slow, fast] = [create(), create({ every: "3s" })];
    await slow.acquire();
    const error = await fast.acquire().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: "DT_PACE_MISMATCH",
      message:
        'pacer "k": the key is in use with "every 6000 ms, burst 1", and this request asks for "every 3000 ms, burst 1"; give all users of a key the same. While a change is rolled out, give the new ones replaces: "every 6000 ms, burst 1"; or reset the key, or wait until it has been idle for 10 s',
    });
    await expect(fast.tryAcquire()).rejects.toThrow('pacer "k": the key is in use');
    await expect(create({ burst: 2 }).acquire()).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
    const granted = create({ every: "3s", replaces: slow.terms }).acquire();
    await runtime.advance(6_000);
    expect(await granted).toMatchObject({ lateMs: 0 });
  });

  it("of one rate, however that is written, agree", async () => {
    const { create } = pacerWorld();
    expect(create({ every: undefined as never, rate: 3 }).terms).toBe(create({ every: 1_000 / 3 }).terms);
    expect(create({ every: 100, strict: true, permitTtl: 200 }).terms).toBe("every 300 ms, burst 1");
  });
});

describe("what one call may cost", () => {
  it("is by default what others may reserve, and never more than a day", async () => {
    const { create } = pacerWorld();
    const pacer = create({ burst: 5, maxReserved: 10 });
    expect(await pacer.tryAcquire(15)).toMatchObject({ lateMs: expect.any(Number) });
    const tooMuch = "cost is 16; give a number of units > 0 and at most maxCost, which is 15";
    await expect(pacer.tryAcquire(16)).rejects.toThrow(tooMuch);
    await expect(pacer.acquire(16)).rejects.toThrow(tooMuch);
    expect(() => pacer.wrap(async () => 1, { cost: 16 })).toThrow(tooMuch);
    await expect(create({ name: "l", every: "1h" }).tryAcquire(25)).rejects.toThrow("maxCost, which is 24");
    expect(await create({ name: "m", every: "30d" }).tryAcquire(1)).toMatchObject({ lateMs: expect.any(Number) });
    expect(await create({ name: "n", every: 10, maxCost: 1_000 }).tryAcquire(1_000)).toMatchObject({
      lateMs: expect.any(Number),
    });
  });

  it("is bounded at the ledger too, for whoever shares it", async () => {
    const store = new MemoryStore();
    const year = { ...PLAIN, id: "r", cost: 1e9, everyMs: 10 };
    await expect(store.reserve("k", year)).rejects.toThrow("would keep the key for more than a day");
    await expect(store.reserve("k", { ...year, cost: 1, count: 10_000, everyMs: 10_000 })).rejects.toThrow("a day");
    expect(await store.reserve("k", { ...year, cost: 1, everyMs: 1e9 })).toMatchObject({ granted: 1 });
  });

  it.each([0, -1, Number.NaN, "5", 1e9])("maxCost: %j is refused", (maxCost) => {
    const store = new MemoryStore();
    expect(() => createPacer({ name: "k", every: "1s", store, maxCost: maxCost as number })).toThrow("maxCost is");
  });
});

describe("a reset (P12)", () => {
  function resettable() {
    const ask = key();
    const { table } = ask as unknown as { table: MemoryPermitTable };
    return { ask, reset: (atMs: number) => resetPermits(table, atMs) };
  }

  it("frees a key that one call has blocked for a day", () => {
    const { ask, reset } = resettable();
    ask(0);
    ask(1_000, { cost: 86_400 });
    expect(ask(2_000, { maxReserved: 0 }).granted).toBe(0);
    reset(3_000);
    expect(ask(3_000, { maxReserved: 0 }).granted).toBe(1);
  });

  it("keeps the distance to what is reserved within a minute, also when it is done twice", () => {
    const { ask, reset } = resettable();
    const instants = Array.from({ length: 5 }, () => instantOf(ask(0), 0));
    reset(1);
    reset(2);
    instants.push(instantOf(ask(3), 0));
    expect(instants).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
  });

  it("forgets what is reserved later, the queue, what was given back and the terms", () => {
    const { ask, reset } = resettable();
    ask(0, { terms: "a", count: 100, everyMs: 2_000 });
    ask(0, { queueMs: 1e6, maxReserved: 1 });
    reset(1);
    expect(ask(1, { terms: "b", maxReserved: 0, everyMs: 10 })).toMatchObject({ granted: 1 });
    // Time went on: nothing is earlier than before.
    expect(ask(0).storeTimeMs).toBe(1);
  });

  it("does nothing to a key that is not there", async () => {
    const store = new MemoryStore();
    await store.resetPermits("k");
    expect(await store.reserve("k", { ...PLAIN, id: "r" })).toMatchObject({ granted: 1 });
    await expect(store.resetPermits("")).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
  });

  it("is noticed by those who wait: at once where the store sends hints, otherwise within half a minute", async () => {
    for (const world of [pacerWorld({ every: 100 }), linkedPacerWorld()]) {
      const { runtime, store, create, ask } = world;
      await store.reserve("k", { ...PLAIN, id: "blocks", cost: 864, everyMs: 100_000, maxReserved: 1_000 });
      const seen = ask(create({ acquireTimeout: "1h" }), 3);
      await runtime.advance(10_000);
      expect(seen).toEqual([]);
      await store.resetPermits("k");
      await runtime.advance(31_000);
      expect(seen).toHaveLength(3);
    }
  });
});
