import { describe, expect, it } from "vitest";
import type { PermitRequest, Reservation } from "../../src/index.ts";
import { inspectPermits, instantOf, releasePermits, reservePermits, resetPermits } from "../../src/ledger/index.ts";
import { meaningfulForMs } from "../../src/permits/meaningful-for.ts";
import { MemoryPermitTable } from "../../src/permits/memory-permit-table.ts";

const PLAIN = { count: 1, cost: 1, everyMs: 100, burst: 1, maxReserved: 10, keepMs: 5_000, queueMs: 0 };

/** A key, asked at a time. */
function key() {
  const table = new MemoryPermitTable();
  const reserve = (id: string, atMs: number, changes: Partial<PermitRequest> = {}): Reservation =>
    reservePermits(table, { ...PLAIN, id, ...changes }, atMs);
  return {
    table,
    reserve,
    /** The instants that a request is given. */
    instants: (id: string, atMs: number, changes?: Partial<PermitRequest>): number[] => {
      const reservation = reserve(id, atMs, changes);
      return Array.from({ length: reservation.granted }, (_, i) => instantOf(reservation, i));
    },
    release: (id: string, keep: number, atMs: number) => releasePermits(table, { id, keep }, atMs),
    reset: (atMs: number) => resetPermits(table, atMs),
    inspect: (atMs: number) => inspectPermits(table, "k", atMs),
  };
}

/** A request that reserves nothing while a pause lasts. */
const ONLY = { cost: 1e-9, maxReserved: 0, keepMs: 0 };

describe("the pause of a key (P15)", () => {
  it("keeps instants from lying before its end, and answers what is left of it", () => {
    const { reserve, instants } = key();
    expect(reserve("p", 1_000, { ...ONLY, pauseMs: 500 })).toMatchObject({ granted: 0, pausedForMs: 500 });
    expect(instants("a", 1_100, { count: 3 })).toEqual([1_500, 1_600, 1_700]);
    expect(reserve("b", 1_200)).toMatchObject({ granted: 1, pausedForMs: 300, reservedAhead: 6 });
    expect(reserve("c", 1_500)).not.toHaveProperty("pausedForMs");
  });

  it("holds for the request that sets it", () => {
    expect(key().instants("a", 1_000, { pauseMs: 200 })).toEqual([1_200]);
  });

  it("counts as reserved: the bound refuses, and says when there is room before its end", () => {
    const { reserve } = key();
    reserve("p", 0, { ...ONLY, pauseMs: 2_000 });
    // 19 intervals lie ahead, and 10 may: room comes 11 intervals before the end.
    expect(reserve("a", 0)).toMatchObject({ granted: 0, reservedAhead: 19, retryAfterMs: expect.closeTo(900.001) });
    expect(reserve("b", 901)).toMatchObject({ granted: 1, firstMs: 2_000 });
    expect(reserve("c", 0, { maxReserved: 0 })).toMatchObject({ granted: 0, retryAfterMs: expect.closeTo(1_199) });
  });

  it("is the later of two, and a pause of 0 is none", () => {
    const { reserve, instants } = key();
    reserve("p", 0, { ...ONLY, pauseMs: 500 });
    expect(reserve("q", 100, { ...ONLY, pauseMs: 300 }).pausedForMs).toBe(400);
    expect(reserve("r", 200, { ...ONLY, pauseMs: 400 }).pausedForMs).toBe(400);
    expect(reserve("s", 200, { ...ONLY, pauseMs: 0 }).pausedForMs).toBe(400);
    expect(instants("a", 300)).toEqual([600]);
    expect(key().reserve("a", 0, { pauseMs: 0 })).not.toHaveProperty("pausedForMs");
  });

  it("leaves no burst of what gathered meanwhile, and none of what was there before", () => {
    const { reserve, instants } = key();
    reserve("p", 5_000, { ...ONLY, burst: 10, pauseMs: 1_000 });
    // One at its end, and then one each interval.
    const burst = { burst: 10, maxReserved: 0 };
    expect(instants("a", 6_000, { ...burst, count: 10 })).toEqual([6_000]);
    expect(instants("b", 6_100, { ...burst, count: 10 })).toEqual([6_100]);
    // Idle for three intervals since: three have gathered, and one is due now.
    expect(instants("c", 6_500, { ...burst, count: 10 })).toEqual([6_500, 6_500, 6_500, 6_500]);
    // Dearer ones wait until they have gathered.
    const dear = key();
    dear.reserve("p", 0, { ...ONLY, burst: 10, pauseMs: 1_000 });
    expect(dear.instants("a", 1_000, { burst: 10, cost: 3 })).toEqual([1_200]);
  });

  it("leaves instants after its end as they are, and later ones keep their distance to them", () => {
    const { reserve, instants } = key();
    expect(instants("a", 0, { count: 5 })).toEqual([0, 100, 200, 300, 400]);
    reserve("p", 0, { ...ONLY, pauseMs: 250 });
    expect(instants("b", 0)).toEqual([500]);
  });

  it("forgets instants given back that lie before its end, and gives those after it", () => {
    const { reserve, instants, release, inspect } = key();
    instants("a", 0, { count: 5 });
    instants("b", 0);
    release("a", 1, 10);
    expect(inspect(20)).toMatchObject({ freed: 4 });
    reserve("p", 20, { ...ONLY, pauseMs: 280 });
    expect(inspect(20)).toMatchObject({ freed: 2, pausedForMs: 280 });
    expect(["c", "d", "e"].flatMap((id) => instants(id, 30))).toEqual([300, 400, 600]);
  });

  it("takes nothing back that lies before its end", () => {
    const { reserve, instants, release } = key();
    instants("a", 0, { count: 5 });
    instants("b", 0);
    reserve("p", 20, { ...ONLY, pauseMs: 280 });
    release("a", 1, 30);
    expect(["c", "d", "e"].flatMap((id) => instants(id, 30))).toEqual([300, 400, 600]);
  });

  it("leaves no burst either when all that was reserved behind it is given back", () => {
    const { reserve, instants, release } = key();
    instants("a", 0, { count: 10, burst: 5, maxReserved: 100 });
    reserve("p", 0, { ...ONLY, burst: 5, pauseMs: 200 });
    release("a", 0, 10);
    expect(instants("b", 300, { burst: 5, maxReserved: 0, count: 5 })).toEqual([300, 300]);
  });

  it("is recorded with a repeat as well, and with none that is refused for its terms", () => {
    const { reserve, instants } = key();
    expect(instants("a", 0, { terms: "x" })).toEqual([0]);
    expect(reserve("a", 50, { terms: "x", pauseMs: 300 })).toMatchObject({ granted: 1, firstMs: 0, pausedForMs: 300 });
    expect(() => reserve("b", 60, { terms: "y", pauseMs: 9_000 })).toThrow("in use with");
    expect(instants("c", 60, { terms: "x" })).toEqual([350]);
  });

  it("is ended by a reset, also when nothing is reserved", () => {
    const { reserve, instants, reset, inspect } = key();
    reserve("p", 0, { ...ONLY, pauseMs: 50_000 });
    expect(inspect(10)).toEqual({
      key: "k",
      pausedForMs: 49_990,
      reservedUntilMs: 50_000,
      known: 0,
      freed: 0,
      waiting: 0,
      storeTimeMs: 10,
    });
    reset(20);
    expect(inspect(20)).toBeUndefined();
    expect(instants("a", 20)).toEqual([20]);
  });

  it("is meant until it is over, whatever was given back", () => {
    const { table, instants, reserve, release } = key();
    instants("a", 0, { count: 10, keepMs: 0 });
    reserve("p", 0, { ...ONLY, pauseMs: 900 });
    release("a", 0, 10);
    expect(meaningfulForMs(table.state())).toBe(890);
  });

  it.each([-1, Number.NaN, 86_400_001, "5"])("refuses a pauseMs of %s", async (pauseMs) => {
    const { checkPermitRequest } = await import("../../src/ledger/index.ts");
    const request = { ...PLAIN, id: "a", pauseMs } as PermitRequest;
    expect(() => checkPermitRequest("k", request)).toThrow("request.pauseMs");
  });
});

describe("the worked numbers of P15", () => {
  const none = { maxReserved: 0 };

  it("are those of the contract's table", () => {
    const a = key();
    expect(a.reserve("p", 0, { ...none, pauseMs: 500 })).toMatchObject({
      granted: 0,
      retryAfterMs: 500,
      reservedAhead: 4,
      pausedForMs: 500,
    });
    expect(a.reserve("q", 100, { count: 3 })).toMatchObject({ granted: 3, reservedAhead: 6, pausedForMs: 400 });
    expect(a.reserve("r", 500)).toMatchObject({ firstMs: 800, reservedAhead: 3 });
    const b = key();
    b.reserve("p", 0, { ...none, pauseMs: 2_000 });
    expect(b.reserve("q", 0)).toMatchObject({
      granted: 0,
      retryAfterMs: expect.closeTo(900.001, 6),
      reservedAhead: 19,
    });
    const c = key();
    c.reserve("p", 0, { count: 5 });
    expect(c.reserve("q", 0, { pauseMs: 250 })).toMatchObject({ firstMs: 500, reservedAhead: 5, pausedForMs: 250 });
    const d = key();
    d.reserve("p", 0, { count: 5 });
    d.release("p", 1, 10);
    expect(d.reserve("q", 20, { pauseMs: 280 })).toMatchObject({ firstMs: 300, reservedAhead: 2, pausedForMs: 280 });
    const many = { ...none, burst: 10, count: 10 };
    const e = key();
    e.reserve("p", 0, { ...none, burst: 10, pauseMs: 1_000 });
    expect(e.instants("q", 1_000, many)).toEqual([1_000]);
    expect(e.instants("r", 1_400, many)).toEqual([1_400, 1_400, 1_400, 1_400]);
  });
});
