import type { Registration } from "../contract/coordination-store.ts";
import { DamagedData } from "./damage.ts";
import { spendAll } from "./freed.ts";
import { credible } from "./group-clock.ts";
import { capacityOf } from "./stored-limit.ts";
import {
  type Extremes,
  extremesOf,
  type GroupRow,
  isCountDue,
  type LedgerTable,
  type MemberRow,
  smallestMaxOf,
} from "./table.ts";
import { counted } from "./wants.ts";

/** The sums that a group's row keeps of all members, and how they follow members that come and go. */

/** The part of the stale age that a quiet stretch of any length counts as silence (R2). */
const QUIET_PART = 0.25;

/** The row of a group that begins with this registration. */
export function newGroup(registration: Registration, clockMs: number, dataSinceMs: number): GroupRow {
  const nowMs = Math.max(clockMs, credible(registration.observedMs, clockMs));
  const offsetMs = nowMs - clockMs;
  return {
    generation: 0,
    memberCount: 0,
    held: 0,
    adopted: 0,
    capacity: 0,
    largestMemberCount: 0,
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
    // Nothing was used of a group that is new, once no member can use a share that was lost.
    freedEpoch: unlostSince(registration, dataSinceMs) <= clockMs ? 0 : null,
    spent: 0,
    wants: [],
    hungryMs: null,
    pausedUntilMs: 0,
    stored: null,
  };
}

/**
 * When every epoch is over in which a share that was lost can have been used. Such a share is valid for as long as the
 * group would learn; without learning nothing can be lost.
 */
function unlostSince({ learningMs, intervalMs, clockErrorMs = 0 }: Registration, dataSinceMs: number): number {
  return learningMs > 0 ? dataSinceMs + learningMs + intervalMs + 2 * clockErrorMs : dataSinceMs;
}

/** How long the group learns on account of a registration (R8). */
export function learningOf(row: GroupRow, { learningMs, staleAfterMs }: Registration): number {
  return row.repairs > 0 ? Math.max(learningMs, staleAfterMs) : learningMs;
}

/** Adds a newcomer to the aggregates. */
export function countIn(row: GroupRow, member: MemberRow): void {
  const quietMs = member.staleAfterMs * QUIET_PART;
  const first = row.memberCount === 0;
  row.memberCount += 1;
  row.held += member.held;
  row.wants = counted(row.wants, member.want, 1);
  const limit = limitOf(row, member);
  row.capacity = first ? limit : Math.min(row.capacity, limit);
  row.quietLimitMs = first ? quietMs : Math.min(row.quietLimitMs, quietMs);
  row.longestStaleMs = first ? member.staleAfterMs : Math.max(row.longestStaleMs, member.staleAfterMs);
  row.clockErrorMs = first ? member.clockErrorMs : Math.max(row.clockErrorMs, member.clockErrorMs);
}

/** The most that a member allows: what it declares or, with `stored`, the copy. */
function limitOf({ stored }: GroupRow, { max }: MemberRow): number {
  return max ?? stored?.values.max ?? 0;
}

/** Sets the aggregates right before a change of membership counts on them (R18). */
export function recount(table: LedgerTable, row: GroupRow): void {
  const found = isCountDue(row) ? table.count() : undefined;
  if (!found) return;
  // What was used of tokens that were not on record is on none either.
  if (row.held !== found.held) spendAll(row);
  Object.assign(row, found);
}

/**
 * After members were removed: what is left declares the rest. In an empty group the times stay, since silence goes on
 * counting for learning.
 */
export function membershipChanged(table: LedgerTable, row: GroupRow): void {
  setCapacity(row, declaredCapacity(table, row));
  Object.assign(row, timesOf(table.extremes(), row));
  nextGeneration(row);
}

/** The part of a group's row that follows from the options that its members declare. */
export function declaredBy(
  members: readonly MemberRow[],
  row: GroupRow,
): Pick<GroupRow, "capacity" | "stored" | keyof Times> {
  const stored = members.some(({ max }) => max === null) ? row.stored : null;
  return { capacity: capacityOf(stored, smallestMaxOf(members)), stored, ...timesOf(extremesOf(members), row) };
}

type Times = Pick<GroupRow, "quietLimitMs" | "longestStaleMs" | "clockErrorMs">;

function timesOf(extremes: Extremes | undefined, row: GroupRow): Times {
  return {
    quietLimitMs: extremes ? extremes.smallestStaleMs * QUIET_PART : row.quietLimitMs,
    longestStaleMs: extremes?.longestStaleMs ?? row.longestStaleMs,
    clockErrorMs: extremes?.largestClockErrorMs ?? 0,
  };
}

/**
 * Refuses a group's row that cannot be right beside this member's (R18). O(1): what is wrong beyond that is made good
 * when the membership changes.
 * @throws DamagedData
 */
export function checkAggregates(table: LedgerTable, row: GroupRow, member: MemberRow): void {
  const { memberCount, adopted, held, capacity, generation } = row;
  if (member.rank >= memberCount) throw odd(`a member count of ${memberCount}`, `a member has rank ${member.rank}`);
  if (member.held > held) throw odd(`a sum of ${held} tokens held`, `a member holds ${member.held}`);
  if (member.generation > generation) throw odd(`generation ${generation}`, `a member adopted ${member.generation}`);
  if (adopted > memberCount) throw odd(`${adopted} adoptions`, `the member count is ${memberCount}`);
  const limit = limitOf(row, member);
  if (capacity < 1 || capacity > limit) throw odd(`a capacity of ${capacity}`, `a member has a limit of ${limit}`);
  // Others are late by now, or not there at all.
  if (adopted < memberCount && member.generation === generation && !table.memberAtRank(memberCount - 1))
    throw odd(`a member count of ${memberCount}`, "no member has the last rank");
}

function odd(says: string, though: string): DamagedData {
  return new DamagedData("the group's row", `${says} although ${though}`);
}

/** After a member declared another `max`, or brought another stored limit. */
export function capacityChanged(table: LedgerTable, row: GroupRow): void {
  const capacity = declaredCapacity(table, row);
  if (capacity === row.capacity) return;
  setCapacity(row, capacity);
  nextGeneration(row);
}

/** The capacity that follows from the members' rows. The copy goes with the last member that has `stored` (R36). */
function declaredCapacity(table: LedgerTable, row: GroupRow): number {
  if (row.stored && !table.hasStored?.()) row.stored = null;
  return capacityOf(row.stored, table.smallestMax());
}

/** Before a member joins that brings another stored limit. */
export function limitChanged(table: LedgerTable, row: GroupRow): void {
  if (row.memberCount > 0) setCapacity(row, capacityOf(row.stored, table.smallestMax()));
}

/** A higher one counts from the next epoch. */
function setCapacity(row: GroupRow, capacity: number): void {
  const isHigher = capacity > row.capacity;
  row.capacity = capacity;
  if (isHigher) spendAll(row);
}

/** Another membership or capacity (R5). */
export function nextGeneration(row: GroupRow): void {
  row.generation = Math.max(row.generation + 1, Math.floor(row.lastMs));
  row.adopted = 0;
}
