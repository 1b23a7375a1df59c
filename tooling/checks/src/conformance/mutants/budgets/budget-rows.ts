import type { BudgetRow, LeaseRow, LimitRow } from "@dt/core/ledger";
import type { BudgetFlaw } from "../budget-flaw.ts";
import type { PlainBudgetTable } from "../suite-internals.ts";

/** A flaw of `spend`. */
export type Spend = NonNullable<BudgetFlaw["spend"]>;

/** Changes a budget's row, where there is one. */
export function patchBudget(table: PlainBudgetTable, changes: (row: BudgetRow) => Partial<BudgetRow>): void {
  if (table.budget) table.putRow({ ...table.budget, ...changes(table.budget) });
}

/** Changes the row of each limit. */
export function patchLimits(table: PlainBudgetTable, changes: (limit: LimitRow) => Partial<LimitRow>): void {
  patchBudget(table, ({ limits }) => ({ limits: limits.map((limit) => ({ ...limit, ...changes(limit) })) }));
}

/** Changes a lease, where it is known. */
export function patchLease(table: PlainBudgetTable, id: string, changes: (lease: LeaseRow) => Partial<LeaseRow>): void {
  const lease = table.lease(id);
  if (lease) table.putLease({ ...lease, ...changes(lease) });
}

/** Units that are charged. */
export function spentOf({ units }: LimitRow): number {
  return units.reduce((sum, one) => sum + one, 0);
}

/** With other costs for each settlement of a lease that is known; `reserved` are those of the lease. */
export function settling(costOf: (cost: number, reserved: number) => number): Spend {
  return ({ table, request }, proceed) => {
    const settle = (request.settle ?? []).map((settlement) => ({
      ...settlement,
      costs: settlement.costs.map((cost, index) => {
        const place = table.budget?.limits.findIndex(({ name }) => name === request.limits[index]?.name) ?? -1;
        const reserved = table.lease(settlement.id)?.costs[place];
        return reserved === undefined ? cost : costOf(cost, reserved);
      }),
    }));
    return proceed({ ...request, settle });
  };
}
