import type { Registration } from "../store/coordination-store.ts";
import { credible } from "./group-clock.ts";
import { type GroupRow, isCountDue, type LedgerTable, type MemberRow } from "./table.ts";

/** What a group's row says of all members together, and how it follows their coming and going. */

/** The part of the stale age that a quiet stretch of any length counts as silence (R2). */
const QUIET_PART = 0.25;

/** The row of a group that begins with this registration. */
export function newGroup(registration: Registration, clockMs: number, dataSinceMs: number): GroupRow {
  const nowMs = Math.max(clockMs, credible(registration.observedMs, clockMs));
  const offsetMs = nowMs - clockMs;
  return {
    generation: 0,
    poolSize: 0,
    held: 0,
    adopted: 0,
    capacity: 0,
    largestPoolSize: 0,
    intervalMs: registration.intervalMs,
    createdAtMs: nowMs,
    learnFromMs: Math.min(nowMs, dataSinceMs + offsetMs),
    learnUntilMs: 0,
    lastMs: nowMs,
    offsetMs,
    lapsedMs: 0,
    quietLimitMs: registration.staleAfterMs * QUIET_PART,
    longestStaleMs: registration.staleAfterMs,
    clockErrorMs: 0,
    aheadUntilMs: 0,
    repairs: 0,
  };
}

/** How long the group learns on account of a registration (R8). */
export function learningOf(row: GroupRow, { learningMs, staleAfterMs }: Registration): number {
  return row.repairs > 0 ? Math.max(learningMs, staleAfterMs) : learningMs;
}

/** Adds a newcomer to the aggregates. */
export function countIn(row: GroupRow, member: MemberRow): void {
  const quietMs = member.staleAfterMs * QUIET_PART;
  const first = row.poolSize === 0;
  row.poolSize += 1;
  row.held += member.held;
  row.capacity = first ? member.max : Math.min(row.capacity, member.max);
  row.quietLimitMs = first ? quietMs : Math.min(row.quietLimitMs, quietMs);
  row.longestStaleMs = first ? member.staleAfterMs : Math.max(row.longestStaleMs, member.staleAfterMs);
  row.clockErrorMs = first ? member.clockErrorMs : Math.max(row.clockErrorMs, member.clockErrorMs);
}

/** Sets the aggregates right before a change of membership counts on them (R18). */
export function recount(table: LedgerTable, row: GroupRow): void {
  const counted = isCountDue(row) ? table.count() : undefined;
  if (!counted) return;
  row.poolSize = counted.poolSize;
  row.held = counted.held;
}

/** After members were removed: what is left declares the rest. In an empty group the times stay, since silence goes on counting for learning. */
export function membershipChanged(table: LedgerTable, row: GroupRow): void {
  const extremes = table.extremes();
  row.capacity = table.smallestMax() ?? 0;
  row.quietLimitMs = extremes ? extremes.smallestStaleMs * QUIET_PART : row.quietLimitMs;
  row.longestStaleMs = extremes?.longestStaleMs ?? row.longestStaleMs;
  row.clockErrorMs = extremes?.largestClockErrorMs ?? 0;
  nextGeneration(row);
}

/** The clock error that counts (R6): of the members, and of those that went just now. */
export function groupClockError(row: Pick<GroupRow, "clockErrorMs" | "aheadUntilMs" | "lastMs">): number {
  return Math.max(row.clockErrorMs, row.aheadUntilMs - row.lastMs);
}

/** After a member declared another `max`. */
export function capacityChanged(table: LedgerTable, row: GroupRow): void {
  const capacity = table.smallestMax() as number;
  if (capacity === row.capacity) return;
  row.capacity = capacity;
  nextGeneration(row);
}

/** Another membership or capacity (R5). */
export function nextGeneration(row: GroupRow): void {
  row.generation = Math.max(row.generation + 1, Math.floor(row.lastMs));
  row.adopted = 0;
}
