import type { GroupRow } from "./table.ts";

/**
 * The most that a member may be ahead of the store's clock: what it says beyond that is an error of its own, which must
 * not move the group's time for good.
 */
const LONGEST_LEAD_MS = 86_400_000;

/** The part of what a member has observed that counts (R2). */
export function credible(observedMs: number, clockMs: number): number {
  return Math.min(observedMs, clockMs + LONGEST_LEAD_MS);
}

/**
 * Advances a group's clock to the store's `clockMs` (rule R2); returns the group's time. Changes `row`.
 * - Group time never goes back: when the server's clock does, an offset makes up for it.
 * - `observedMs` is a time that the calling member has seen, or that has come by its own clock: time goes on from there
 *   at least, after a loss of data and when the server's clock went back and the time since the last operation was
 *   lost; a day ahead of the store's clock at most.
 * - A quiet stretch longer than a quarter of the stale age counts as that much silence. A jump of the clock, a
 *   suspended machine or an outage of the store itself thus removes nobody whose share is valid: the default validity
 *   is below three quarters of the stale age. After true silence the dead go three quarters of a stale age later.
 */
export function advanceClock(row: GroupRow, clockMs: number, observedMs = 0): number {
  const floorMs = Math.max(row.lastMs, credible(observedMs, clockMs));
  const shownMs = Math.max(row.lastMs, clockMs + row.offsetMs);
  if (clockMs + row.offsetMs < floorMs) row.offsetMs = floorMs - clockMs;
  // The sum may be rounded to less than the floor.
  const nowMs = Math.max(floorMs, clockMs + row.offsetMs);
  // What a caller has observed corrects the time; it is no time that passed.
  row.lapsedMs += nowMs - shownMs;
  const quietMs = shownMs - row.lastMs;
  if (quietMs > row.quietLimitMs) row.lapsedMs += quietMs - row.quietLimitMs;
  row.lastMs = nowMs;
  return nowMs;
}

/**
 * The time that counts for stale ages and learning: group time without what lapsed in quiet stretches and corrections.
 */
export function livenessTime(row: GroupRow): number {
  return row.lastMs - row.lapsedMs;
}

/** True while nobody is raised, and there is no agreement (R8). */
export function isLearning(row: GroupRow): boolean {
  return livenessTime(row) < row.learnUntilMs;
}

/** The clock error that counts (R6): of the members, and of those that went just now. */
export function groupClockError(row: Pick<GroupRow, "clockErrorMs" | "aheadUntilMs" | "lastMs">): number {
  return Math.max(row.clockErrorMs, row.aheadUntilMs - row.lastMs);
}
