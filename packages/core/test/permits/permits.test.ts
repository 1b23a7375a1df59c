import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PermitRequest, Reservation } from "../../src/index.ts";
import { instantOf, releasePermits, reservePermits } from "../../src/ledger/index.ts";
import { MemoryPermitTable } from "../../src/permits/memory-permit-table.ts";

let ids = 0;

function request(changes: Partial<PermitRequest> = {}): PermitRequest {
  return {
    id: `r${ids++}`,
    count: 1,
    cost: 1,
    everyMs: 6_000,
    burst: 1,
    maxReserved: 0,
    keepMs: 1_000,
    queueMs: 0,
    ...changes,
  };
}

/** The design's pseudocode, word for word, in milliseconds: 0, a delay, or -1. */
class SeedLimiter {
  readonly #difference: number;
  readonly #most: number;
  #last = Number.NEGATIVE_INFINITY;

  constructor(minPermitDifference: number, maxReservedPermits: number) {
    this.#difference = minPermitDifference;
    this.#most = maxReservedPermits;
  }

  next(now: number): number {
    const next = this.#last + this.#difference;
    if (now >= next) {
      this.#last = now;
      return 0;
    }
    const reserved = Math.floor(Math.max(0, this.#last - now) / this.#difference);
    if (reserved >= this.#most) return -1;
    this.#last = next;
    return next - now;
  }
}

const delayOf = (r: Reservation): number => (r.granted === 0 ? -1 : instantOf(r, 0) - r.storeTimeMs);

describe("the permit arithmetic", () => {
  it("goes through the design's timeline: one every 6 s; the third comes 5 s after the second and waits until 12", () => {
    const table = new MemoryPermitTable();
    const at = (ms: number): number => delayOf(reservePermits(table, request({ maxReserved: 10 }), 1_000_000 + ms));
    expect([at(0), at(6_000), at(11_000)]).toEqual([0, 0, 1_000]);
  });

  it("agrees with the design's pseudocode on every delay and every refusal", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 0, max: 6 }),
        fc.array(fc.nat(120), { minLength: 1, maxLength: 80 }),
        (everyMs, maxReserved, gaps) => {
          const table = new MemoryPermitTable();
          const seed = new SeedLimiter(everyMs, maxReserved);
          let nowMs = 1_000_000;
          for (const gap of gaps) {
            nowMs += gap;
            expect(delayOf(reservePermits(table, request({ everyMs, maxReserved }), nowMs))).toBe(seed.next(nowMs));
          }
        },
      ),
    );
  });

  it("keeps the distance whatever is reserved, released, blocked and repeated, at whichever interval, and says exactly when to come back", () => {
    const action = fc.record({
      gap: fc.nat(40),
      what: fc.constantFrom("reserve", "reserve", "reserve", "release", "repeat"),
      count: fc.integer({ min: 1, max: 5 }),
      cost: fc.constantFrom(1, 1, 1, 2, 0.5),
      everyMs: fc.constantFrom(10, 10, 10, 7.5, 20),
      pick: fc.nat(1_000),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 8 }),
        fc.array(action, { minLength: 1, maxLength: 120 }),
        (maxReserved, actions) => {
          const table = new MemoryPermitTable();
          const live = new Map<string, { request: PermitRequest; reservation: Reservation; keep: number }>();
          let nowMs = 5_000_000;
          for (const { gap, what, count, cost, everyMs, pick } of actions) {
            nowMs += gap;
            const chosen = [...live.values()][pick % Math.max(1, live.size)];
            if (what === "release" && chosen) {
              const keep = pick % (chosen.reservation.granted + 1);
              // Only what has not been used may be given back: instants still to come.
              if (keep < chosen.keep && instantOf(chosen.reservation, keep) > nowMs) {
                releasePermits(table, { id: chosen.request.id, keep }, nowMs);
                releasePermits(table, { id: chosen.request.id, keep }, nowMs);
                chosen.keep = keep;
              }
            } else if (what === "repeat" && chosen && chosen.keep === chosen.reservation.granted) {
              const again = reservePermits(table, chosen.request, nowMs);
              if (again.granted > 0 && again.firstMs === chosen.reservation.firstMs)
                expect(again.granted).toBe(chosen.reservation.granted);
            } else if (what === "reserve") {
              const wanted = request({ everyMs, maxReserved, count, cost, keepMs: 1_000_000 });
              const reservation = reservePermits(table, wanted, nowMs);
              if (reservation.granted > 0)
                live.set(wanted.id, { request: wanted, reservation, keep: reservation.granted });
              else {
                expect(
                  delayOf(
                    reservePermits(
                      table,
                      request({ everyMs, maxReserved, cost }),
                      nowMs + reservation.retryAfterMs * 0.99 - 0.002,
                    ),
                  ),
                ).toBe(-1);
                nowMs += reservation.retryAfterMs;
                const now = request({ everyMs, maxReserved, cost, keepMs: 1_000_000 });
                const next = reservePermits(table, now, nowMs);
                expect(next.granted).toBe(1);
                live.set(now.id, { request: now, reservation: next, keep: 1 });
              }
              expect(reservation.reservedAhead).toBeLessThanOrEqual(((maxReserved + 5 * 2) * 20) / everyMs);
            }
          }
          const used = [...live.values()].flatMap(({ request: { cost, everyMs }, reservation, keep }) =>
            Array.from({ length: keep }, (_, i) => ({ at: instantOf(reservation, i), widthMs: cost * everyMs })),
          );
          used.sort((a, b) => a.at - b.at);
          for (const [i, permit] of used.entries()) {
            const next = used[i + 1];
            if (next) expect(next.at - permit.at).toBeGreaterThanOrEqual(permit.widthMs - 1e-6);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    [6, 10],
    [7, 5],
    [11, 100],
    [60, 3],
  ])("gives all of a burst at once, however the times are rounded: %i a second, burst %i", (rate, burst) => {
    const everyMs = 1_000 / rate;
    for (let nowMs = 1_790_000_000_000.123; nowMs < 1_790_000_000_100; nowMs += 0.137) {
      const table = new MemoryPermitTable();
      const ask = (): number => delayOf(reservePermits(table, request({ everyMs, burst }), nowMs));
      for (let i = 0; i < burst; i++) expect(ask()).toBeGreaterThanOrEqual(0);
      expect(ask()).toBe(-1);
    }
  });

  it("takes no permit for due that is to come in more than a tenth of a millisecond, however large the burst", () => {
    const table = new MemoryPermitTable();
    const [everyMs, burst, nowMs] = [0.001, 1_000_000, 1_790_000_000_000];
    expect(reservePermits(table, request({ everyMs, burst, cost: burst }), nowMs).granted).toBe(1);
    const half = burst / 2;
    const refused = reservePermits(table, request({ everyMs, burst, cost: half + 300 }), nowMs + 500);
    expect(refused.granted).toBe(0);
    expect(refused.retryAfterMs).toBeCloseTo(0.3, 2);
    expect(reservePermits(table, request({ everyMs, burst, cost: half }), nowMs + 500).granted).toBe(1);
  });

  it("gives a freed instant to the next reservation that fits", () => {
    const table = new MemoryPermitTable();
    const [a, b, c, d] = [0, 0, 0, 0].map(() => request({ maxReserved: 10 })) as [
      PermitRequest,
      PermitRequest,
      PermitRequest,
      PermitRequest,
    ];
    const delays = [a, b, c].map((r) => delayOf(reservePermits(table, r, 1_000_000)));
    expect(delays).toEqual([0, 6_000, 12_000]);
    releasePermits(table, { id: b.id, keep: 0 }, 1_000_500);
    expect(delayOf(reservePermits(table, d, 1_001_000))).toBe(5_000);
    expect(delayOf(reservePermits(table, request({ maxReserved: 10 }), 1_001_000))).toBe(17_000);
  });

  it("lets a burst go at once after idleness, and never more than the rate and the burst allow", () => {
    const table = new MemoryPermitTable();
    const burst = { everyMs: 100, burst: 5, maxReserved: 100 };
    const first = Array.from({ length: 8 }, () => delayOf(reservePermits(table, request(burst), 1_000_000)));
    expect(first).toEqual([0, 0, 0, 0, 0, 100, 200, 300]);
    const block = reservePermits(new MemoryPermitTable(), request({ ...burst, count: 8 }), 1_000_000);
    expect(Array.from({ length: 8 }, (_, i) => instantOf(block, i) - 1_000_000)).toEqual(first);
  });

  it("serves those in the queue before those who come later", () => {
    const table = new MemoryPermitTable();
    const queued = { queueMs: 1_000 };
    reservePermits(table, request(queued), 1_000_000);
    const [first, second] = [request(queued), request(queued)];
    expect(reservePermits(table, first, 1_000_010).retryAfterMs).toBe(5_990);
    expect(reservePermits(table, second, 1_000_020).retryAfterMs).toBe(11_980);
    // A newcomer at the instant itself does not overtake.
    expect(reservePermits(table, request(), 1_006_000).granted).toBe(0);
    expect(reservePermits(table, first, 1_006_000).granted).toBe(1);
    expect(reservePermits(table, second, 1_012_000).granted).toBe(1);
  });

  it("forgets those in the queue who do not come back", () => {
    const table = new MemoryPermitTable();
    reservePermits(table, request(), 1_000_000);
    reservePermits(table, request({ queueMs: 500 }), 1_000_000);
    expect(reservePermits(table, request(), 1_006_499).granted).toBe(0);
    expect(reservePermits(table, request(), 1_006_501).granted).toBe(1);
  });

  it("goes on when the store's clock goes back", () => {
    const table = new MemoryPermitTable();
    expect(delayOf(reservePermits(table, request({ maxReserved: 5 }), 1_000_000))).toBe(0);
    expect(delayOf(reservePermits(table, request({ maxReserved: 5 }), 400_000))).toBe(6_000);
    expect(delayOf(reservePermits(table, request({ maxReserved: 5 }), 412_000))).toBe(0);
  });
});
