import { describe, expect, it } from "vitest";
import type { PermitRequest, Reservation } from "../../src/index.ts";
import { inspectPermits, instantOf, releasePermits, reservePermits, resetPermits } from "../../src/ledger/index.ts";
import type { LimitRecordHead } from "../../src/limits/limit-row.ts";
import { meaningfulForMs } from "../../src/permits/meaningful-for.ts";
import { MemoryPermitTable } from "../../src/permits/memory-permit-table.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const HOUR_MS = 3_600_000;
const PLAIN = { count: 1, cost: 1, everyMs: 100, burst: 1, maxReserved: 100, keepMs: 5_000, queueMs: 0, stored: true };

/** A key with a stored limit. */
function key() {
  let record: LimitRecordHead | undefined;
  const table = new MemoryPermitTable(undefined, () => record);
  const reserve = (id: string, atMs: number, changes: Partial<PermitRequest> = {}): Reservation =>
    reservePermits(table, { ...PLAIN, id, ...changes }, atMs);
  return {
    table,
    reserve,
    instants: (id: string, atMs: number, changes?: Partial<PermitRequest>): number[] => {
      const reservation = reserve(id, atMs, changes);
      return Array.from({ length: reservation.granted }, (_, i) => instantOf(reservation, i));
    },
    release: (id: string, keep: number, atMs: number) => releasePermits(table, { id, keep }, atMs),
    set: (values: Readonly<Record<string, number>> | null, untilMs: number | null = null): void => {
      record = { revision: (record?.revision ?? 0) + 1, values: values && JSON.stringify(values), untilMs };
    },
    inspect: (atMs: number) => inspectPermits(table, "k", atMs),
  };
}

describe("the stored limit of a key (P16)", () => {
  it("is the code's value of the first request, and no mismatch with others", () => {
    const { instants, reserve } = key();
    expect(instants("a", 0)).toEqual([0]);
    expect(instants("b", 0, { everyMs: 7, burst: 3 })).toEqual([100]);
    expect(reserve("c", 0, { everyMs: 7 }).limit).toEqual({ everyMs: 100, burst: 1 });
  });

  it("is followed from the last instant that was reserved before it was lowered", () => {
    const { instants, set, reserve } = key();
    expect(instants("a", 0, { everyMs: 10, count: 5 })).toEqual([0, 10, 20, 30, 40]);
    set({ everyMs: HOUR_MS });
    expect(reserve("b", 0)).toMatchObject({ granted: 0, retryAfterMs: 50, limit: { everyMs: HOUR_MS } });
    expect(instants("b", 50)).toEqual([50]);
    expect(reserve("c", 60)).toMatchObject({ granted: 0, retryAfterMs: HOUR_MS - 10 });
  });

  it("lets nobody wait at the old distance when it is raised", () => {
    const { instants, set, reserve } = key();
    instants("a", 0);
    set({ everyMs: HOUR_MS });
    expect(instants("b", 100)).toEqual([100]);
    expect(reserve("c", 200, { queueMs: 500 })).toMatchObject({ granted: 0 });
    set({ everyMs: 5 });
    expect(instants("c", HOUR_MS / 2)[0]).toBeCloseTo(HOUR_MS / 2 + 2.5, 1);
  });

  it("leaves a burst that was used as it is", () => {
    const { instants, set } = key();
    const burst = { burst: 10, count: 20 };
    expect(instants("a", 0, { ...burst, maxReserved: 0 })).toHaveLength(10);
    set({ everyMs: 900 });
    expect(instants("b", 500, burst)).toEqual([500, 500, 500, 500, 500, 1_400]);
    set({ everyMs: 1 });
    expect(instants("c", 2_751, { ...burst, maxReserved: 0 })).toEqual([2_751]);
  });

  it("takes a burst for used whatever the sum of its last instant was rounded to", () => {
    const { reserve, set } = key();
    const nowMs = 2_826.603;
    const everyMs = 200_000;
    expect(nowMs - 4 * everyMs + 4 * everyMs).toBeGreaterThan(nowMs);
    expect(reserve("a", nowMs, { everyMs, burst: 5, count: 5 }).granted).toBe(5);
    set({ everyMs: 20 * everyMs });
    expect(reserve("b", nowMs, { everyMs, burst: 5 }).retryAfterMs).toBeCloseTo(20 * everyMs, 1);
  });

  it("gives an instant that comes back no more room than it had", () => {
    const { instants, set, release } = key();
    expect(instants("a", 0, { everyMs: 300, count: 3 })).toEqual([0, 300, 600]);
    set({ everyMs: 10 });
    expect(instants("b", 0)).toEqual([900]);
    release("a", 1, 0);
    const given = ["c", "d", "e"].flatMap((id) => instants(id, 0, { cost: 20 }));
    expect(given).toEqual([300, 600, 910]);
    expect(instants("f", 0, { cost: 10 })).toEqual([500]);
  });

  it("counts as the stricter one for a request without it, and for nobody once the key was idle", () => {
    const { instants, reserve, set, inspect, table } = key();
    set({ everyMs: 50, burst: 4 });
    instants("a", 0);
    const own = { stored: false, terms: "mine", everyMs: 20, burst: 9 };
    expect(reserve("b", 0, own).limit).toEqual({ everyMs: 50, burst: 4 });
    expect(reserve("c", 0, { ...own, everyMs: 80, burst: 2 }).limit).toEqual({ everyMs: 80, burst: 2 });
    expect(inspect(10_000)?.stored).toEqual({ revision: 1, values: { everyMs: 50, burst: 4 } });
    expect(meaningfulForMs(table.state())).toBeGreaterThanOrEqual(10_000);
    expect(reserve("d", 20_000, own)).not.toHaveProperty("limit");
    expect(inspect(20_000)).not.toHaveProperty("stored");
  });

  it("is not taken in by a repeat, and is gone with a reset", () => {
    const { reserve, set, table, inspect } = key();
    reserve("a", 0);
    set({ everyMs: 50 });
    expect(reserve("a", 10).limit?.everyMs).toBe(100);
    resetPermits(table, 20);
    expect(inspect(20)).not.toHaveProperty("stored");
    expect(reserve("b", 30).limit?.everyMs).toBe(50);
  });

  it("refuses a request where its record is damaged, and changes nothing", () => {
    const { reserve, set, inspect } = key();
    reserve("a", 0);
    const before = inspect(0);
    set({ everyMs: -1 });
    expect(() => reserve("b", 0)).toThrow(expect.objectContaining({ code: "DT_STORE_DATA" }));
    expect(inspect(0)).toEqual(before);
    expect(reserve("c", 0, { stored: false })).toMatchObject({ granted: 1 });
  });

  it("cuts what a request asks for to a day", () => {
    const { reserve, set } = key();
    set({ everyMs: HOUR_MS });
    expect(reserve("a", 0, { cost: 1_000, count: 10_000, burst: 1e9 })).toMatchObject({
      granted: 1,
      stepMs: 24 * HOUR_MS,
      limit: { burst: 277_777 },
    });
  });

  it("does not make a pause longer or shorter", () => {
    const { reserve, set } = key();
    reserve("p", 0, { pauseMs: 60_000, maxReserved: 0 });
    set({ everyMs: HOUR_MS });
    expect(reserve("a", 10)).toMatchObject({ granted: 0, retryAfterMs: 59_990 });
    set({ everyMs: 5, burst: 8 });
    expect(reserve("a", 20)).toMatchObject({ granted: 0, pausedForMs: 59_980 });
    expect(reserve("a", 60_000)).toMatchObject({ granted: 1, firstMs: 60_000 });
    expect(reserve("b", 60_000)).toMatchObject({ granted: 1, firstMs: 60_005 });
  });

  it.each(Array.from({ length: 30 }, (_, seed) => seed))("keeps the distance whatever changes: seed %i", (seed) => {
    const chance = new VirtualRuntime({ seed });
    const pick = <T>(...values: readonly T[]): T => values[Math.floor(chance.random() * values.length)] as T;
    const { reserve, release, set } = key();
    const held = new Map<string, { readonly atMs: number; readonly cost: number; readonly everyMs: number }[]>();
    let nowMs = 0;
    for (let i = 0; i < 400; i++) {
      nowMs += pick(0, 1, 10, 100, 700);
      if (chance.random() < 0.1) set(pick(null, { everyMs: pick(1, 10, 50, 300, 1_000, 5_000) }));
      const [id] = [...held.keys()].slice(pick(0, -1, -3));
      if (id !== undefined && chance.random() < 0.3) {
        const keep = pick(0, 1, 2);
        release(id, keep, nowMs);
        held.set(id, (held.get(id) ?? []).slice(0, keep));
      }
      const cost = pick(1, 1, 2, 0.5);
      const answer = reserve(`r${i}`, nowMs, { cost, count: pick(1, 3), everyMs: 20 });
      const { everyMs = 0 } = answer.limit ?? {};
      const list = Array.from({ length: answer.granted }, (_, n) => ({ atMs: instantOf(answer, n), cost, everyMs }));
      for (const { atMs } of list) expect(atMs).toBeLessThan(nowMs + 2_001);
      held.set(`r${i}`, list);
    }
    const all = [...held.values()].flat().sort((a, b) => a.atMs - b.atMs);
    for (const [place, { atMs, cost, everyMs }] of all.slice(0, -1).entries()) {
      const next = all[place + 1] as (typeof all)[number];
      expect(next.atMs - atMs).toBeGreaterThanOrEqual(cost * Math.min(everyMs, next.everyMs) - 0.001);
    }
  });
});
