import type { BudgetLimit, SpendRequest } from "../contract/budget-ledger.ts";
import type { StoredCopy } from "../contract/limit-ledger.ts";
import { storedValue } from "../limits/stored-value.ts";
import { TERMS_HOLD_MS } from "../permits/terms-hold.ts";
import type { BudgetRow, BudgetTable } from "./budget-table.ts";

/** While a budget has stored limits nothing is reserved farther ahead, nor farther than its longest window. */
const AHEAD_MS = 60_000;

/** The times of a request. */
interface Times {
  /** How long the budget was not used. */
  readonly idleMs: number;
  /** The store's clock. */
  readonly clockMs: number;
}

/**
 * Takes in the limits of a request with `stored` (B13). A copy that nobody used for as long as terms bind is gone.
 *
 * With another `max` the pace keeps its units, and nothing has to come after the latest instant that is reserved: those
 * that wait reserve anew.
 * @throws DtError `DT_STORE_DATA`
 */
export function keepCopy(
  table: Pick<BudgetTable, "lease" | "limit">,
  row: BudgetRow,
  { stored, limits, reserve }: SpendRequest,
  { idleMs, clockMs }: Times,
): void {
  const copy = row.stored;
  const isGone = idleMs > TERMS_HOLD_MS;
  if (isGone) row.stored = undefined;
  if (!stored || !table.limit || (reserve && table.lease(reserve.id))) return;
  const code = Object.fromEntries(limits.map(({ name, max }) => [name, max]));
  row.stored = storedValue("budget", row.stored, table.limit(), code, clockMs);
  if (copy && !isGone && row.stored !== copy) rescale(row, copy, row.stored);
}

/** The limit as the copy makes it (L4). Its burst is the same part of it. */
export function inForce(limit: BudgetLimit, stored: boolean | undefined, copy: StoredCopy | undefined): BudgetLimit {
  const set = maxOf(copy, limit.name);
  if (set === undefined) return limit;
  const max = stored ? set : Math.min(limit.max, set);
  return max === limit.max ? limit : { ...limit, max, burst: (limit.burst * max) / limit.max };
}

/** How far ahead a budget with stored limits may be reserved, in milliseconds. */
export function mostAheadMs(limits: readonly BudgetLimit[]): number {
  return Math.min(AHEAD_MS, Math.max(...limits.map(({ windowMs }) => windowMs)));
}

function rescale({ limits, lastMs: nowMs }: BudgetRow, before: StoredCopy, after: StoredCopy): void {
  for (const limit of limits) {
    const [old, max] = [maxOf(before, limit.name), maxOf(after, limit.name)];
    if (old === undefined || max === undefined || old === max) continue;
    limit.latestMs = Math.min(limit.latestMs, nowMs);
    limit.paceMs = limit.paceMs.map((ms) => (ms > nowMs ? nowMs + ((ms - nowMs) * old) / max : ms));
  }
}

/** A limit may have the name of what every object has. */
function maxOf(copy: StoredCopy | undefined, name: string): number | undefined {
  return copy && Object.hasOwn(copy.values, name) ? copy.values[name] : undefined;
}
