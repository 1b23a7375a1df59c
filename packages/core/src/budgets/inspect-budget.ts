import type { BudgetSnapshot } from "../contract/budget-snapshot.ts";
import { TERMS_HOLD_MS } from "../permits/permits.ts";
import type { BudgetTable } from "./budget-table.ts";
import { advanceBudget } from "./budgets.ts";
import { marginOf } from "./learning.ts";
import { prune, spentOf } from "./window.ts";

/** What a budget holds at `clockMs` of the store's own clock (B12); undefined when nothing is left of it. */
export function inspectBudget(
  table: Pick<BudgetTable, "row" | "countLeases">,
  budget: string,
  clockMs: number,
): BudgetSnapshot | undefined {
  const row = table.row();
  if (!row) return undefined;
  const { lastMs: usedMs, terms, formerTerms } = row;
  advanceBudget(row, clockMs);
  const nowMs = row.lastMs;
  const limits = row.limits.map((limit) => {
    prune(limit, nowMs);
    const { name, max, windowMs } = limit;
    return { name, max, windowMs, spent: spentOf(limit), margin: marginOf(limit, nowMs) };
  });
  const open = table.countLeases(nowMs);
  const pausedForMs = Math.max(0, row.pausedUntilMs - nowMs);
  const binds = terms !== undefined && nowMs - usedMs <= TERMS_HOLD_MS;
  if (open === 0 && pausedForMs === 0 && !binds && limits.every(({ spent }) => spent === 0)) return undefined;
  return {
    budget,
    ...(binds && { terms }),
    ...(binds && formerTerms !== undefined && { formerTerms }),
    ...{ limits, open, pausedForMs, storeTimeMs: nowMs },
  };
}
