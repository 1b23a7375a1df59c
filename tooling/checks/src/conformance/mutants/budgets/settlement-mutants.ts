import type { LeaseRow } from "@dt/core/ledger";
import { budgetMutant, type Mutant } from "../flaw.ts";
import { PlainBudgetTable } from "../suite-internals.ts";
import { patchLease, patchLimits, type Spend, settling } from "./budget-rows.ts";

/** A settlement takes nothing away. */
class KeepsSettled extends PlainBudgetTable {
  override removeLease(): void {}
  override clone(): PlainBudgetTable {
    const copy = new KeepsSettled();
    copy.become(this);
    return copy;
  }
}

/** B6: what a settlement gives back and charges. */
export const settlementMutants: readonly Mutant[] = [
  budgetMutant("a lease is settled as often as that arrives", "B6", { table: KeepsSettled }),
  budgetMutant("a settlement gives nothing back", "B6", { spend: settling(Math.max) }),
  budgetMutant("what was spent beyond a lease is dropped", "B6", { spend: settling(Math.min) }),
  budgetMutant("a settlement gives back twice what was not spent", "B6", {
    spend: settling((cost, reserved) => (cost < reserved ? 2 * cost - reserved : cost)),
  }),
  budgetMutant("a debt has no floor", "B6", {
    spend: ({ request: { settle = [], ...request } }, proceed) => {
      const { limits, keeps } = request;
      const wide = limits.map((limit) => ({ ...limit, max: limit.max * 1e9 }));
      if (settle.length > 0) proceed({ limits: wide, keeps, settle });
      return proceed(request);
    },
  }),
  budgetMutant("a charge whose window has passed is given back", "B6", {
    spend: settlingEach(({ table, nowMs, lease }) => {
      const { slots = [], windowMs = 0 } = table.budget?.limits[0] ?? {};
      const newest = slots.at(-1);
      if (newest === undefined || lease.atMs > nowMs - windowMs) return {};
      return { atMs: ((newest + 0.5) * windowMs) / 240 };
    }),
  }),
  budgetMutant("what was spent beyond a lease whose window has passed is dropped", "B6", {
    spend: ({ table, request, nowMs }, proceed) => {
      const windowMs = table.budget?.limits[0]?.windowMs ?? 0;
      const isOld = (id: string): boolean => (table.lease(id)?.atMs ?? nowMs) < nowMs - windowMs;
      for (const { id } of request.settle ?? []) if (isOld(id)) table.removeLease(id);
      return proceed();
    },
  }),
  budgetMutant("a lease that is forgotten is given back", "B6", {
    spend: ({ table, request: { limits, keeps }, nowMs }, proceed) => {
      for (const { id, forgetAtMs } of [...table.leases.values()]) {
        if (forgetAtMs > nowMs) continue;
        patchLease(table, id, () => ({ forgetAtMs: nowMs + 1 }));
        proceed({ limits, keeps, settle: [{ id, costs: limits.map(() => 0), measured: false }] });
      }
      return proceed();
    },
  }),
  budgetMutant("a settlement of an unknown lease charges its costs", "B6", {
    spend: ({ table, request: { limits, keeps, settle = [], ...request } }, proceed) => {
      for (const { id, costs } of settle) {
        if (table.lease(id)) continue;
        const reserve = { id: `${id}-again`, costs, tier: 0, maxWaitMs: 0, keepMs: 0, force: true };
        proceed({ limits, keeps, reserve });
      }
      return proceed({ limits, keeps, settle, ...request });
    },
  }),
  budgetMutant("a lease whose instant is to come cannot be settled", "B6", {
    spend: ({ table, request, nowMs }, proceed) =>
      proceed({ ...request, settle: (request.settle ?? []).filter(({ id }) => (table.lease(id)?.atMs ?? 0) <= nowMs) }),
  }),
  budgetMutant("a limit that a settlement does not name is given back", "B6", {
    spend: settlingEach(({ table, lease, names }) => {
      const places = (table.budget?.limits ?? []).map(({ name }) => names.includes(name));
      patchLimits(table, (limit) => {
        const place = table.budget?.limits.findIndex(({ name }) => name === limit.name) ?? -1;
        if (places[place]) return {};
        return { units: limit.units.map((units, i) => (i === 0 ? units - (lease.costs[place] ?? 0) : units)) };
      });
      return {};
    }),
  }),
  budgetMutant("a request settles a hundred leases at most", "B6", {
    spend: ({ request }, proceed) => proceed({ ...request, settle: (request.settle ?? []).slice(0, 100) }),
  }),
  budgetMutant("measured costs teach nothing", "B6", { spend: measuring(false) }),
  budgetMutant("costs that were not measured teach, too", "B6", { spend: measuring(true) }),
  budgetMutant("what was learned never fades", "B6", {
    spend: ({ table, nowMs }, proceed) => {
      patchLimits(table, ({ variance }) => (variance > 0 ? { learnedMs: nowMs } : {}));
      return proceed();
    },
    inspect: ({ table, nowMs }, proceed) => {
      patchLimits(table, ({ variance }) => (variance > 0 ? { learnedMs: nowMs } : {}));
      return proceed();
    },
  }),
  budgetMutant("the part that is kept free is kept from a call that costs all of the limit, too", "B6", {
    spend: ({ table, request: { reserve, ...request } }, proceed) => {
      const learned = table.budget?.limits.some(({ variance }) => variance > 0);
      const whole = reserve?.costs.some((cost, place) => cost === request.limits[place]?.max);
      if (!reserve || !learned || !whole) return proceed();
      return { ...proceed(request), waitMs: 1e6, limitedBy: 0 };
    },
  }),
];

/** Changes each lease that is about to be settled. */
function settlingEach(
  change: (of: {
    readonly table: PlainBudgetTable;
    readonly nowMs: number;
    readonly lease: LeaseRow;
    readonly names: readonly string[];
  }) => Partial<LeaseRow>,
): Spend {
  return ({ table, request, nowMs }, proceed) => {
    const names = request.limits.map(({ name }) => name);
    for (const { id } of request.settle ?? []) patchLease(table, id, (lease) => change({ table, nowMs, lease, names }));
    return proceed();
  };
}

function measuring(measured: boolean): Spend {
  return ({ request }, proceed) =>
    proceed({ ...request, settle: (request.settle ?? []).map((settlement) => ({ ...settlement, measured })) });
}
