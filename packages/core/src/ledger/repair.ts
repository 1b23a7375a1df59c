import type { RepairOptions, RepairReport } from "../contract/inspect-and-repair.ts";
import { isDtError } from "../errors/dt-error.ts";
import { declaredBy, nextGeneration } from "./aggregates.ts";
import { DamagedData } from "./damage.ts";
import { advanceClock, livenessTime } from "./group-clock.ts";
import type { SlotRow } from "./slot-table.ts";
import { countOf, type GroupRow, type LedgerTable, type MemberRow } from "./table.ts";

/** A row as it is stored. */
export interface Stored<Row> {
  /**
   * Reads and checks it.
   * @throws DamagedData when it is damaged, another DtError when it is of a newer version
   */
  read(): Row;
}

/** What a repair needs of a group's storage besides what the ledger does. */
export interface RepairTable extends LedgerTable {
  storedGroup(): Stored<GroupRow> | undefined;
  storedMembers(): readonly Stored<MemberRow>[];
  /** Of the queue of a semaphore; absent where the store keeps none. */
  storedSlots?(): readonly Stored<SlotRow>[];
  /**
   * Puts these rows, and all that is looked up by, in the place of everything stored of the group but remembered
   * levels. The queue of a semaphore is empty afterwards, until its members report.
   */
  replace(row: GroupRow, members: readonly MemberRow[]): void;
}

/**
 * Checks every row of a group and makes good what can be (R18). What it leaves behind follows from the members' rows
 * alone, so that it may run after an operation that was half done. Must run atomically for its group. O(members).
 * @throws DtError `DT_STORE_DATA` when a row is of a newer version, unless the group is reset; the table is unchanged
 *   then
 */
export function repair(table: RepairTable, { reset = false }: RepairOptions, clockMs: number): RepairReport {
  const found: string[] = [];
  const stored = table.storedMembers();
  const group = readable(table.storedGroup(), found, reset);
  const groupDamaged = found.length > 0;
  const members = stored.flatMap((row) => limited(readable(row, found, reset), group, found) ?? []);
  for (const row of table.storedSlots?.() ?? []) readable(row, found, reset);
  if (!group && !groupDamaged && stored.length > 0)
    found.push(`${stored.length} members are left over of a group whose own row is missing`);
  if (!group && found.length === 0) return { found, members: 0, reset: false };
  if (!group || reset) {
    table.replace(anew(group, members, clockMs), []);
    return { found, members: 0, reset: true };
  }
  const row = { ...group };
  advanceClock(row, clockMs);
  const dropped = members.length < stored.length;
  // What follows from a member that is gone is no finding of its own.
  const sound = inOrder(members, dropped ? [] : found);
  const counted = { ...row, ...countOf(sound), ...declaredBy(sound, row) };
  if (!dropped) compare(row, counted, sound, found);
  if (newest(row, sound) > row.generation)
    found.push(`the group's generation is ${row.generation} where a member knows ${newest(row, sound)}`);
  if (found.length === 0) return { found, members: sound.length, reset: false };
  counted.generation = newest(row, sound);
  nextGeneration(counted);
  counted.largestMemberCount = counted.memberCount;
  counted.freedEpoch = null;
  if (dropped) learnAnew(counted, Math.max(row.longestStaleMs, counted.longestStaleMs));
  table.replace(counted, sound);
  return { found, members: sound.length, reset: false };
}

/**
 * Runs an operation of the ledger, and again after a repair when it finds damage.
 * @throws what the operation throws, and {@link repair}
 */
export function healing<T>(table: RepairTable, clockMs: number, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    if (!(error instanceof DamagedData)) throw error;
    repair(table, {}, clockMs);
  }
  return operation();
}

/** A stored row, or undefined when it is damaged or not there. A reset forgets rows of a newer version as well. */
function readable<Row>(stored: Stored<Row> | undefined, found: string[], reset: boolean): Row | undefined {
  try {
    return stored?.read();
  } catch (error) {
    const isData = isDtError(error, "DT_STORE_DATA");
    if (!isData || !(error instanceof DamagedData || reset)) throw error;
    found.push(error instanceof DamagedData ? error.finding : error.message);
    return undefined;
  }
}

/** Undefined for a member with `stored` of a group without a copy: it has no limit. */
function limited(member: MemberRow | undefined, group: GroupRow | undefined, found: string[]): MemberRow | undefined {
  if (!group || group.stored || member?.max !== null) return member;
  found.push(`${member.id} has the stored limit where the group has none`);
  return undefined;
}

/**
 * A group without members, that continues another one as far as that is known: its time does not go back, and its
 * generation is a higher one.
 */
function anew(before: GroupRow | undefined, members: readonly MemberRow[], clockMs: number): GroupRow {
  const row: GroupRow = {
    ...{
      generation: 0,
      memberCount: 0,
      held: 0,
      adopted: 0,
      capacity: 0,
      largestMemberCount: 0,
      intervalMs: 0,
      createdAtMs: clockMs,
    },
    ...{ learnFromMs: clockMs, learnUntilMs: 0, lastMs: clockMs, offsetMs: 0, lapsedMs: 0 },
    ...{ quietLimitMs: 0, longestStaleMs: 0, clockErrorMs: 0, aheadUntilMs: 0, repairs: 0, freedEpoch: null, spent: 0 },
    ...{ wants: [], hungryMs: null, stored: null },
    ...before,
    // A person who resets a group wants it to go on.
    pausedUntilMs: 0,
  };
  advanceClock(row, clockMs);
  row.generation = newest(row, members);
  const longestStaleMs = Math.max(row.longestStaleMs, ...members.map(({ staleAfterMs }) => staleAfterMs));
  const aheadMs = Math.max(row.clockErrorMs, ...members.map(({ clockErrorMs }) => clockErrorMs));
  row.aheadUntilMs = Math.max(row.aheadUntilMs, row.lastMs + aheadMs);
  Object.assign(row, {
    ...countOf([]),
    ...declaredBy([], row),
    longestStaleMs,
    largestMemberCount: 0,
    createdAtMs: row.lastMs,
  });
  nextGeneration(row);
  learnAnew(row, longestStaleMs);
  return row;
}

/** What the group's row says wrongly of its members. */
function compare(row: GroupRow, counted: GroupRow, members: readonly MemberRow[], found: string[]): void {
  const adopted = members.filter(({ generation }) => generation === row.generation).length;
  const right = { ...counted, adopted };
  for (const name of [
    "memberCount",
    "held",
    "adopted",
    "capacity",
    "quietLimitMs",
    "longestStaleMs",
    "clockErrorMs",
  ] as const)
    if (row[name] !== right[name])
      found.push(`the group's ${name} is ${row[name]} where its members make it ${right[name]}`);
}

/** The newest generation that the group or a member knows of. */
function newest(row: GroupRow, members: readonly MemberRow[]): number {
  return members.reduce((most, { generation, joined }) => Math.max(most, generation, Math.abs(joined)), row.generation);
}

/** Tokens that are on record no more may be in use until their holders' shares have ended. */
function learnAnew(row: GroupRow, longestStaleMs: number): void {
  row.learnFromMs = livenessTime(row);
  row.learnUntilMs = Math.max(row.learnUntilMs, row.learnFromMs + longestStaleMs);
  row.repairs += 1;
}

/** The members with ranks 0 .. n - 1, and one holder of each id at most: the one that came last. */
function inOrder(members: readonly MemberRow[], found: string[]): readonly MemberRow[] {
  const holders = new Map<string, MemberRow>();
  for (const member of members) {
    const other = holders.get(member.id);
    if (member.standing === "holder" && (!other || other.joined < member.joined)) holders.set(member.id, member);
  }
  const ordered = [...members].sort((a, b) => a.rank - b.rank || (a.incarnation < b.incarnation ? -1 : 1));
  return ordered.map((member, rank) => {
    if (member.rank !== rank) found.push(`the rank of ${member.id} is ${member.rank} where ${rank} is free`);
    const standing = member.standing === "holder" && holders.get(member.id) !== member ? "fenced" : member.standing;
    if (standing !== member.standing) found.push(`${member.id} has two holders`);
    return { ...member, rank, standing };
  });
}
