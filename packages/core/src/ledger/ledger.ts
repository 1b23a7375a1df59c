import type {
  Activity,
  Farewell,
  MemberRef,
  MemberView,
  Registration,
  Report,
  Use,
  View,
} from "../contract/coordination-store.ts";
import type { Demand } from "../contract/demand.ts";
import { DtError } from "../errors/dt-error.ts";
import {
  capacityChanged,
  checkAggregates,
  countIn,
  learningOf,
  limitChanged,
  membershipChanged,
  newGroup,
  nextGeneration,
  recount,
} from "./aggregates.ts";
import { answer } from "./answer.ts";
import { DamagedData } from "./damage.ts";
import { EVEN_SHARE, endTurn, limitEvenTurn } from "./demand.ts";
import { free, settle, spendAll } from "./freed.ts";
import { advanceClock, livenessTime } from "./group-clock.ts";
import { pause } from "./pause.ts";
import { leaveQueue, serveSlots } from "./slot-answer.ts";
import { limitFor, takeLimit } from "./stored-limit.ts";
import type { GroupCopy, GroupRow, LedgerTable, MemberRow } from "./table.ts";
import { counted, wantOnGrid } from "./wants.ts";
import { fairOf } from "./water-level.ts";

/**
 * The share ledger: the store's side of the protocol (docs/protocol.md) as pure functions over a table. The rule
 * numbers are those of docs/store-contract.md. Each function must run atomically for its group; `clockMs` is the
 * store's own clock.
 *
 * Cost: one group row, the caller's row, an index look-up for stale members; everything else only when the membership
 * changes.
 */

/**
 * A member joins, or claims its place again.
 * @param dataSinceMs time on the store's clock since which its data was certainly not lost (R8): 0 = always. Left out:
 *   that is not known, and a new group learns
 * @throws DtError `DT_INTERVAL_MISMATCH`; the table has been changed by then (time has passed, stale members are
 *   removed). Commit that: rolled back, the dead members of a fleet would keep another interval out for ever
 */
export function register(
  table: LedgerTable,
  registration: Registration,
  clockMs: number,
  dataSinceMs: number = Number.POSITIVE_INFINITY,
): View {
  const limit = limitFor(table, registration, clockMs);
  const row = table.group() ?? begin(table, registration, clockMs, dataSinceMs);
  const nowMs = advanceClock(row, clockMs, registration.observedMs);
  removeStale(table, row, registration.incarnation);
  const known = table.member(registration.incarnation);
  if (row.intervalMs !== registration.intervalMs && row.memberCount > (known ? 1 : 0)) {
    table.putGroup(row);
    throw intervalMismatch(row.intervalMs, registration.intervalMs);
  }
  // Epochs of another length have other numbers.
  if (row.intervalMs !== registration.intervalMs) row.freedEpoch = null;
  row.intervalMs = registration.intervalMs;
  row.learnUntilMs = Math.max(row.learnUntilMs, row.learnFromMs + learningOf(row, registration));

  const holder = table.holderOf(registration.id);
  if (
    known?.standing === "fenced" ||
    (registration.rejoin && holder && holder.incarnation !== registration.incarnation)
  ) {
    serveSlots(table, row);
    table.putGroup(row);
    return { status: "fenced", storeTimeMs: nowMs };
  }
  const resumeLevel = levelToResume(table, registration, holder, nowMs);
  if (known) {
    settle(row);
    checkAggregates(table, row, known);
    const report = { ...registration, generation: 0, members: 0, held: registration.claim };
    return { ...acceptReport(table, row, known, report, limit), resumeLevel };
  }
  recount(table, row);
  if (takeLimit(row, limit)) limitChanged(table, row);
  const member: MemberRow = {
    id: registration.id,
    incarnation: registration.incarnation,
    seq: registration.seq,
    rank: row.memberCount,
    generation: 0,
    memberCount: 0,
    held: registration.claim,
    max: limit ? null : registration.max,
    level: registration.level,
    staleAfterMs: registration.staleAfterMs,
    clockErrorMs: registration.clockErrorMs ?? 0,
    resumeWithinMs: registration.resumeWithinMs,
    expiresAtMs: livenessTime(row) + registration.staleAfterMs,
    standing: "newcomer",
    joined: 0,
    ...EVEN_SHARE,
    activity: null,
    want: registration.demand ? wantOnGrid(registration.demand.want) : null,
  };
  countIn(row, member);
  // Somebody of before may be ahead by as much as this one.
  settle(row);
  // What it used beyond its claim, before its row was gone, is on no record.
  if (registration.rejoin) spendAll(row);
  nextGeneration(row);
  member.joined = registration.rejoin ? -row.generation : row.generation;
  adopt(row, member, row.generation, row.memberCount);
  return { ...answer(table, row, member, registration.demand), resumeLevel };
}

/** Heartbeat and report. */
export function sync(table: LedgerTable, ref: MemberRef, report: Report, clockMs: number): View {
  const limit = limitFor(table, report, clockMs);
  const row = table.group();
  if (!row) return { status: "unknown", storeTimeMs: clockMs };
  const nowMs = advanceClock(row, clockMs, report.observedMs);
  settle(row);
  removeStale(table, row, ref.incarnation);
  const member = table.member(ref.incarnation);
  if (!member || !takesPart(table, row, member, report.generation)) {
    serveSlots(table, row);
    table.putGroup(row);
    return { status: member ? "fenced" : "unknown", storeTimeMs: nowMs };
  }
  checkAggregates(table, row, member);
  pause(row, report.pauseMs);
  return acceptReport(table, row, member, report, limit);
}

/** A member leaves; nothing happens when it is not there. */
export function deregister(table: LedgerTable, ref: MemberRef, farewell: Farewell, clockMs: number): void {
  const row = table.group();
  if (!row) return;
  advanceClock(row, clockMs, farewell.observedMs);
  settle(row);
  const member = table.member(ref.incarnation);
  if (member) {
    recount(table, row);
    removeMember(table, row, { ...member, level: farewell.level ?? member.level }, farewell.use);
    membershipChanged(table, row);
    serveSlots(table, row);
  }
  table.putGroup(row);
}

/**
 * The row of a new group.
 * @throws DamagedData when members of it are there
 */
function begin(table: LedgerTable, registration: Registration, clockMs: number, dataSinceMs: number): GroupRow {
  const left = table.count()?.memberCount ?? 0;
  if (left > 0) throw new DamagedData("the group", `${left} members but no row of its own`);
  return newGroup(registration, clockMs, dataSinceMs);
}

/**
 * False when a member is fenced. A newcomer becomes the holder of its id by its first sync that names the generation of
 * its registration or a later one, so that it has read an answer to it; the holder so far is then fenced (R3).
 */
function takesPart(table: LedgerTable, row: GroupRow, member: MemberRow, generation: number): boolean {
  if (member.standing !== "newcomer") return member.standing === "holder";
  // A late message of a process that died: it was sent before the registration that arrived, late as well.
  if (generation < Math.abs(member.joined)) return true;
  const holder = table.holderOf(member.id);
  // One that comes back takes the id from nobody; one that is new takes it from whoever arrived before.
  if (holder && (member.joined < 0 || holder.joined > member.joined)) {
    table.putMember({ ...member, standing: "fenced" });
    leaveQueue(table, member.incarnation);
    return false;
  }
  if (holder) {
    table.putMember({ ...holder, standing: "fenced" });
    leaveQueue(table, holder.incarnation);
    rememberLevel(table, row, holder);
  }
  member.standing = "holder";
  return true;
}

/**
 * Heartbeat, capacity, lowering and adoption (R4, R6, R7, R9), unless the request is a repeat (R11); then the answer.
 */
function acceptReport(
  table: LedgerTable,
  row: GroupRow,
  member: MemberRow,
  report: Report,
  limit: GroupCopy | undefined,
): MemberView {
  if (report.seq > member.seq) {
    member.seq = report.seq;
    member.level = report.level;
    member.activity = copyOf(report.activity);
    changeWant(row, member, report.demand);
    member.expiresAtMs = livenessTime(row) + member.staleAfterMs;
    const max = limit ? null : report.max;
    const isNew = takeLimit(row, limit);
    if (isNew || max !== member.max) {
      member.max = max;
      table.putMember(member);
      capacityChanged(table, row);
    }
    if (report.held < member.held) {
      free(row, member.held - report.held, report.held, report.use);
      member.held = report.held;
      endTurn(row, member, report.demand?.syncMs);
    }
    limitEvenTurn(row, member, report.use);
    row.largestMemberCount = Math.max(row.largestMemberCount, report.members);
    // The split before may have been in use in its newest epoch: the next one starts later.
    if (adopt(row, member, report.generation, report.members)) free(row, 0, report.held, report.use);
  }
  return answer(table, row, member, report.demand);
}

/** Two numbers, whatever else the object of a caller has. */
function copyOf(activity: Activity | undefined): Activity | null {
  return activity ? { used: activity.used, waiting: activity.waiting } : null;
}

/** Takes in what a member wants now, or that it shares evenly (R21). */
function changeWant(row: GroupRow, member: MemberRow, demand: Demand | undefined): void {
  if (member.want === null && !demand) return;
  const want = demand ? wantOnGrid(demand.want) : null;
  if (want === member.want) return;
  row.wants = counted(counted(row.wants, member.want, -1), want, 1);
  Object.assign(member, want === null ? EVEN_SHARE : { want });
}

/**
 * Records that a member has adopted the current generation, once, if it names it and holds no more than fair (R9). One
 * that shares by demand never does, so that its group never agrees (R25). True when it now has.
 */
function adopt(row: GroupRow, member: MemberRow, generation: number, memberCount: number): boolean {
  if (generation !== row.generation || member.generation === generation) return false;
  if (member.want !== null || member.held > fairOf(row).fair) return false;
  member.generation = generation;
  member.memberCount = memberCount;
  row.adopted += 1;
  row.largestMemberCount = Math.max(row.largestMemberCount, memberCount);
  return true;
}

function removeStale(table: LedgerTable, row: GroupRow, caller: string): void {
  let removed = 0;
  for (const member of table.expired(livenessTime(row))) {
    if (member.incarnation === caller) continue;
    if (removed === 0) recount(table, row);
    // An earlier removal may have moved this member to another rank.
    removeMember(table, row, table.member(member.incarnation) as MemberRow);
    removed += 1;
  }
  if (removed > 0) membershipChanged(table, row);
}

/**
 * Takes a member out; the one with the last rank moves into the vacant rank, so that ranks stay dense (R10). Nothing is
 * known of the use of one that did not say farewell.
 */
function removeMember(table: LedgerTable, row: GroupRow, member: MemberRow, use?: Use): void {
  const last = table.memberAtRank(row.memberCount - 1);
  table.deleteMember(member);
  if (last && last.incarnation !== member.incarnation) table.putMember({ ...last, rank: member.rank });
  row.memberCount -= 1;
  row.wants = counted(row.wants, member.want, -1);
  row.aheadUntilMs = Math.max(row.aheadUntilMs, row.lastMs + member.clockErrorMs);
  free(row, member.held, 0, use);
  rememberLevel(table, row, member);
}

/** The level of the id's holder, which a restart replaces, or the one remembered of it (R13). */
function levelToResume(
  table: LedgerTable,
  { id, incarnation }: MemberRef,
  holder: MemberRow | undefined,
  nowMs: number,
): number | null {
  if (holder && holder.incarnation !== incarnation && holder.resumeWithinMs > 0 && holder.level !== null)
    return holder.level;
  return table.rememberedLevel(id, nowMs) ?? null;
}

function rememberLevel(table: LedgerTable, row: GroupRow, member: MemberRow): void {
  if (member.resumeWithinMs <= 0 || member.level === null) return;
  table.rememberLevel(member.id, member.level, row.lastMs + member.resumeWithinMs, row.lastMs);
}

/** The refusal of R14, the same from every store. */
export function intervalMismatch(groupMs: number, offeredMs: number): DtError {
  return new DtError(
    "DT_INTERVAL_MISMATCH",
    `interval is ${offeredMs} ms, but the group runs with ${groupMs} ms; give every member of a group the same interval; under another name it would have a limit of its own, so name this group in replaces while you roll out a change`,
  );
}
