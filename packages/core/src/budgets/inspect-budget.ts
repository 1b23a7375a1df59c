import type { BudgetSnapshot } from "../contract/budget-snapshot.ts";
import { TERMS_HOLD_MS } from "../permits/terms-hold.ts";
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
  const { lastMs: usedMs, terms, formerTerms, stored } = row;
  advanceBudget(row, clockMs);
  const nowMs = row.lastMs;
  const limits = row.limits.map((limit) => {
    prune(limit, nowMs);
    const { name, max, windowMs } = limit;
    return { name, max, windowMs, spent: spentOf(limit), margin: marginOf(limit, nowMs) };
  });
  const open = table.countLeases(nowMs);
  const pausedForMs = Math.max(0, row.pausedUntilMs - nowMs);
  const isHeld = nowMs - usedMs <= TERMS_HOLD_MS;
  const binds = terms !== undefined && isHeld;
  const isStored = stored !== undefined && isHeld;
  const isEmpty = open === 0 && pausedForMs === 0 && limits.every(({ spent }) => spent === 0);
  if (isEmpty && !binds && !isStored) return undefined;
  return {
    budget,
    ...(binds && { terms }),
    ...(binds && formerTerms !== undefined && { formerTerms }),
    ...(isStored && { stored }),
    ...{ limits, open, pausedForMs, storeTimeMs: nowMs },
  };
}
