import type { SpendAnswer, SpendRequest } from "@dt/core";
import { expect, it } from "vitest";
import { LeasedUnits } from "../src/budgets/leased-units.ts";

const LIMITS = [{ name: "tokens", max: 100, windowMs: 1_000, burst: 100 }];

/** Leases of one budget, as they are answered. */
function leases(keeps: readonly number[] = [0]) {
  const units = new LeasedUnits();
  let ids = 0;
  return {
    /** A lease at an instant; gives the rule that it breaks. */
    lease(atMs: number, cost: number, more: Partial<SpendRequest["reserve"]> & { limits?: typeof LIMITS } = {}) {
      const { limits = LIMITS, ...asked } = more;
      const reserve = { id: `l${++ids}`, costs: [cost], tier: 0, maxWaitMs: 0, keepMs: 0, ...asked };
      const request = { limits, keeps, reserve };
      units.sent(request);
      const answer = { granted: true, atMs, waitMs: 0, pausedForMs: 0, rests: [0], storeTimeMs: 0 } as SpendAnswer;
      return units.answered(request, answer)?.rule;
    },
    settle: (id: string, cost: number) =>
      units.sent({ limits: LIMITS, keeps, settle: [{ id, costs: [cost], measured: true }] }),
    units,
  };
}

it("a window holds the limit, and no more", () => {
  const { lease } = leases();
  expect([lease(5_000, 60), lease(5_500, 40), lease(6_000, 60), lease(6_499, 1)]).toEqual([
    undefined,
    undefined,
    undefined,
    "B4",
  ]);
});

it("in whatever order the leases are answered", () => {
  const { lease } = leases();
  expect([lease(7_000, 60), lease(5_000, 60), lease(6_500, 41)]).toEqual([undefined, undefined, "B4"]);
});

it("a settled lease counts for what it cost, and not for more than was reserved", () => {
  const { lease, settle } = leases();
  lease(5_000, 90);
  settle("l1", 20);
  expect(lease(5_100, 80)).toBeUndefined();
  settle("l2", 500);
  expect(lease(5_200, 1)).toBe("B4");
});

it("the same lease again counts once, and one by force not at all", () => {
  const { lease } = leases();
  expect([lease(5_000, 90, { id: "a" }), lease(5_000, 90, { id: "a" })]).toEqual([undefined, undefined]);
  expect([lease(5_000, 90, { force: true }), lease(5_000, 10)]).toEqual([undefined, undefined]);
});

it("a tier and those behind it fill what is left to them", () => {
  const { lease } = leases([0, 0.5]);
  expect([lease(5_000, 50), lease(5_000, 30, { tier: 1 }), lease(5_000, 21, { tier: 1 })]).toEqual([
    undefined,
    undefined,
    "B4",
  ]);
});

it("limits that were declared anew count as the most generous ones, and a reset forgets all", () => {
  const { lease, units } = leases();
  const limits = [{ name: "tokens", max: 150, windowMs: 500, burst: 100 }];
  expect([lease(5_000, 100), lease(5_000, 50, { limits }), lease(5_500, 100)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(lease(5_900, 51)).toBe("B4");
  units.reset();
  expect(lease(5_900, 100)).toBeUndefined();
});
