import { TERMS_HOLD_MS } from "../permits/terms-hold.ts";
import type { BudgetRow } from "./budget-table.ts";

/**
 * How long from its last operation a budget means something, in milliseconds of its own time: until every window is
 * empty, its pause is over, its terms bind no more, and what was learned is forgotten. A store keeps a lease for as
 * long as the lease asks for.
 */
export function budgetMeansForMs(row: BudgetRow): number {
  const untilMs = row.limits.map(({ latestMs, windowMs }) => Math.max(row.lastMs, latestMs) + 2 * windowMs);
  return Math.max(TERMS_HOLD_MS, row.pausedUntilMs - row.lastMs, ...untilMs.map((ms) => ms - row.lastMs));
}
