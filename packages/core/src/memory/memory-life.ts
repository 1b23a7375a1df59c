import { budgetMeansForMs } from "../budgets/meaningful-for.ts";
import type { MemoryBudgetTable } from "../budgets/memory-budget-table.ts";
import { bucketMeansForMs } from "../keyed/meaningful-for.ts";
import type { MemoryBucketTable } from "../keyed/memory-bucket-table.ts";
import { newestEpoch } from "../ledger/freed.ts";
import { groupClockError } from "../ledger/group-clock.ts";
import { inspect } from "../ledger/inspect.ts";
import { meaningfulForMs } from "../permits/meaningful-for.ts";
import type { MemoryPermitTable } from "../permits/memory-permit-table.ts";
import type { MemoryTable } from "./memory-table.ts";

/**
 * A group in which nobody has called for this long, and for as long as its members' silence may last, has nobody left.
 */
const ABANDONED_MS = 86_400_000;

/** A key is forgotten this long after nothing of it is to come. */
const KEEP_KEY_MS = 60_000;

/**
 * True when a group that is new would be the same: no members, no level, no learning, no pause, a clock that is past
 * every time and generation that was answered, and nobody in an epoch in which tokens were used.
 */
export function isGroupOver(table: MemoryTable, clockMs: number): boolean {
  const row = table.group();
  if (!row) return true;
  if (clockMs < Math.max(row.lastMs, row.generation, row.aheadUntilMs, row.pausedUntilMs)) return false;
  if (clockMs < (newestEpoch(row) + 1) * row.intervalMs + groupClockError(row)) return false;
  if (row.memberCount === 0) return table.levelsUntilMs <= clockMs && !inspect(table, "", clockMs).learning;
  const keptMs = table.members().reduce((longest, { resumeWithinMs }) => Math.max(longest, resumeWithinMs), 0);
  return clockMs + row.offsetMs - row.lastMs > ABANDONED_MS + 2 * row.longestStaleMs + keptMs;
}

/** True when nothing of a key of permits is to come, and its time does not go back if it begins anew. */
export function isKeyOver(table: MemoryPermitTable, clockMs: number): boolean {
  const row = table.row();
  return !row || clockMs - row.lastMs > meaningfulForMs(table.state()) + KEEP_KEY_MS;
}

/** True when nothing of a budget is to come, no lease is open, and its time does not go back if it begins anew. */
export function isBudgetOver(table: MemoryBudgetTable, clockMs: number): boolean {
  const row = table.row();
  if (!row) return true;
  return table.countLeases(clockMs + row.offsetMs) === 0 && clockMs - row.lastMs > budgetMeansForMs(row) + KEEP_KEY_MS;
}

/** True when a bucket that is new would be the same, and its time does not go back if it begins anew. */
export function isBucketOver(table: MemoryBucketTable, clockMs: number): boolean {
  const row = table.row();
  return !row || clockMs - row.lastMs > bucketMeansForMs(row);
}
