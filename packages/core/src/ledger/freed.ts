import type { Use } from "../contract/coordination-store.ts";
import { MOST_TOKENS } from "./bounds.ts";
import { firstSafeEpoch } from "./first-safe-epoch.ts";
import { groupClockError, isLearning } from "./group-clock.ts";
import type { GroupRow } from "./table.ts";

/**
 * Which free tokens may be used in an epoch that runs already (R20). A group's row says of it in which epoch tokens
 * became free last, and how many of those that became free in it were used in it before: none of these may be used in
 * it again, by nobody.
 */

/** The newest epoch that any member may have begun. */
export function newestEpoch(row: GroupRow): number {
  return firstSafeEpoch(row.lastMs, groupClockError(row), row.intervalMs) - 1;
}

/**
 * Takes all tokens for used in the newest epoch: where nobody knows better, and where the capacity has grown. A group
 * that learns does so at the end, for what was used by then.
 */
export function spendAll(row: GroupRow): void {
  if (isLearning(row)) return;
  row.freedEpoch = Math.max(row.freedEpoch ?? 0, newestEpoch(row));
  row.spent = MOST_TOKENS;
}

/**
 * While a group learns, nobody knows what was used. What it did not know, it takes for used once it has learned.
 */
export function settle(row: GroupRow): void {
  if (isLearning(row)) row.freedEpoch = null;
  else if (row.freedEpoch === null) spendAll(row);
}

/**
 * A member gives up tokens and goes on with `kept`. The first that it used in this epoch were those that it keeps; the
 * rest of what it used is spent. Without a word of its use everything that it gives up is, in the newest epoch.
 */
export function free(row: GroupRow, tokens: number, kept: number, use: Use | undefined): void {
  row.held -= tokens;
  if (row.freedEpoch === null) return;
  const newest = newestEpoch(row);
  const epoch = use ? Math.min(use.epoch, newest) : newest;
  const spent = use ? Math.min(tokens, Math.max(0, use.used - kept)) : tokens;
  if (epoch < row.freedEpoch) return;
  if (epoch > row.freedEpoch) row.spent = 0;
  row.freedEpoch = epoch;
  row.spent = Math.min(row.spent + spent, MOST_TOKENS);
}

/** The free tokens that nobody has used in `freedEpoch`. */
export function unspent(row: GroupRow): number {
  return row.freedEpoch === null ? 0 : Math.max(0, row.capacity - row.held - row.spent);
}
