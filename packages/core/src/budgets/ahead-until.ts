import type { BudgetRow } from "./budget-table.ts";
import { emptyAtMs } from "./window.ts";

/**
 * The budget's time at which nothing but time will have freed it: its pause is over, every window is empty, and its
 * pace is made up for.
 */
export function budgetAheadUntilMs(row: BudgetRow): number {
  return Math.max(row.pausedUntilMs, ...row.limits.flatMap((limit) => [emptyAtMs(limit), ...limit.paceMs]));
}
