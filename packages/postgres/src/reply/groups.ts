import type { DemandView, GroupSnapshot, MemberSnapshot, RepairReport, SlotView, View } from "@dt/core";
import { intervalMismatch } from "@dt/core/ledger";
import { boolean, type Field, number, optionalNumber, rowOf, rowsOf, text, unexpectedReply } from "./field.ts";

/** Attributes of the type dt_view. */
const VIEW_WIDTH = 27;
/** Where those begin that are only there for a member that shares by demand. */
const DEMAND = 15;
/** What the group runs with, when the status is `interval`. */
const INTERVAL = 25;
/** What is left of a pause. */
const PAUSED = 26;

/**
 * The view in an answer of `dt_sync`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseView(reply: unknown): View {
  const row = rowOf(reply, VIEW_WIDTH);
  const [status, storeTime, generation, memberCount, reportedMemberCount, rank, held, entitled, fromEpoch, early] = row;
  const [capacity, clockError, groupAge, learning, resumeLevel] = row.slice(10);
  const storeTimeMs = number(storeTime);
  if (status === "unknown" || status === "fenced") return { status, storeTimeMs };
  if (status !== "agree" && status !== "disagree") throw unexpectedReply(reply, "a view");
  const demand = row.slice(DEMAND, INTERVAL);
  return {
    status,
    generation: number(generation),
    members: number(memberCount),
    reportedMembers: number(reportedMemberCount),
    rank: number(rank),
    held: number(held),
    entitled: number(entitled),
    fromEpoch: number(fromEpoch),
    early: number(early),
    capacity: number(capacity),
    clockErrorMs: number(clockError),
    storeTimeMs,
    groupAgeMs: number(groupAge),
    learning: boolean(learning),
    resumeLevel: optionalNumber(resumeLevel),
    ...pauseOf(row[PAUSED]),
    ...(demand.some((field) => field !== null) && { demand: parseDemand(demand) }),
  };
}

/** What is left of a pause; nothing where there is none. */
function pauseOf(field: Field | undefined): { readonly pausedForMs?: number } {
  const pausedForMs = number(field);
  return pausedForMs > 0 ? { pausedForMs } : {};
}

/** What a member is told that shares by demand; any other is told nothing. */
function parseDemand(demand: readonly Field[]): DemandView {
  const [waterLevel, reserve, extra, odd, tight, hungry, ...slots] = demand;
  return {
    waterLevel: number(waterLevel),
    reserve: number(reserve),
    extra: number(extra),
    odd: boolean(odd),
    tight: boolean(tight),
    hungry: boolean(hungry),
    ...(slots.some((field) => field !== null) && { slots: parseSlots(slots) }),
  };
}

function parseSlots([over, wanted, place, turns]: readonly Field[]): SlotView {
  return { over: boolean(over), wanted: boolean(wanted), place: number(place), turns: number(turns) };
}

/**
 * The view in an answer of `dt_register`.
 * @throws DtError `DT_INTERVAL_MISMATCH`, `DT_STORE_REPLY`
 */
export function parseRegistered(reply: unknown, intervalMs: number): View {
  const row = rowOf(reply, VIEW_WIDTH);
  if (row[0] === "interval") throw intervalMismatch(number(row[INTERVAL]), intervalMs);
  return parseView(reply);
}

/** Columns of `dt_inspect`: those of the group, then those of the member, and the group's stored limit. */
const GROUP_WIDTH = 10;
const STORED = 23;
const INSPECT_WIDTH = 25;

/**
 * The snapshot in an answer of `dt_inspect`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseSnapshot(reply: unknown, group: string): GroupSnapshot {
  const rows = rowsOf(reply, INSPECT_WIDTH);
  const [first] = rows;
  if (!first) throw unexpectedReply(reply, "at least one row");
  const [storeTime, generation, capacity, memberCount, adopted, held, interval, groupAge, learning, pausedFor] = first;
  if (generation === null) return { ...NO_GROUP, group, storeTimeMs: number(storeTime) };
  return {
    group,
    generation: number(generation),
    capacity: number(capacity),
    memberCount: number(memberCount),
    adopted: number(adopted),
    held: number(held),
    intervalMs: number(interval),
    storeTimeMs: number(storeTime),
    groupAgeMs: number(groupAge),
    learning: boolean(learning),
    ...pauseOf(pausedFor),
    ...storedOf(first.slice(STORED)),
    members: rows.map((row) => row.slice(GROUP_WIDTH)).flatMap((row) => (row[0] === null ? [] : [parseMember(row)])),
  };
}

/** The copy of the stored limit; nothing where there is none. */
function storedOf([revision, max]: readonly (Field | undefined)[]): Pick<GroupSnapshot, "stored"> {
  return revision === null ? {} : { stored: { revision: number(revision), values: { max: number(max) } } };
}

const NO_GROUP = {
  generation: 0,
  capacity: 0,
  memberCount: 0,
  adopted: 0,
  held: 0,
  intervalMs: 0,
  groupAgeMs: 0,
  learning: false,
  members: [],
};

function parseMember(row: readonly Field[]): MemberSnapshot {
  const [id, incarnation, rank, generation, memberCount, held, max, level, silent, fenced, want, used, waiting] = row;
  return {
    id: text(id),
    incarnation: text(incarnation),
    rank: number(rank),
    generation: number(generation),
    memberCount: number(memberCount),
    held: number(held),
    max: optionalNumber(max),
    level: optionalNumber(level),
    silentMs: number(silent),
    fenced: boolean(fenced),
    ...(want !== null && { want: number(want) }),
    ...(used !== null && waiting !== null && { used: number(used), waiting: number(waiting) }),
  };
}

/** Columns of `dt_repair`. */
const REPAIR_WIDTH = 3;

/**
 * The report in an answer of `dt_repair`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseRepair(reply: unknown): RepairReport {
  const rows = rowsOf(reply, REPAIR_WIDTH);
  const [first] = rows;
  if (!first) throw unexpectedReply(reply, "at least one row");
  const [, members, reset] = first;
  const found = rows.flatMap(([problem]) => (problem === null ? [] : [text(problem)]));
  return { found, members: number(members), reset: boolean(reset) };
}
