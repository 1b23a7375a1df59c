import {
  type DemandView,
  DtError,
  type GroupSnapshot,
  type MemberSnapshot,
  type RepairReport,
  type SlotView,
  type View,
} from "@dt/core";
import { intervalMismatch, newerData, unreleasedData } from "@dt/core/ledger";
import { type Field, fields, number, optionalNumber, texts, time, unexpectedReply } from "./field.ts";
import { refuseLimit } from "./limits.ts";

/**
 * The view in a reply of `sync.lua`.
 * @throws DtError `DT_STORE_REPLY`, `DT_STORE_DATA`
 */
export function parseView(reply: unknown): View {
  refuseData(reply);
  const [status, storeTime, storeTimeBeyond, ...rest] = fields(reply, 2);
  if (status === "unknown" || status === "fenced") return { status, storeTimeMs: number(texts(reply, 2)[1]) };
  if (status !== "agree" && status !== "disagree") throw unexpectedReply(reply, "a view");
  const storeTimeMs = time(storeTime, storeTimeBeyond);
  const [
    generation,
    memberCount,
    reportedMemberCount,
    rank,
    held,
    entitled,
    capacity,
    groupAge,
    groupAgeBeyond,
    learning,
    resumeLevel,
    clockError,
    fromEpoch,
    early,
    pausedFor,
    ...demand
  ] = fields(rest, 15);
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
    groupAgeMs: time(groupAge, groupAgeBeyond),
    learning: number(learning) === 1,
    resumeLevel: optionalNumber(resumeLevel),
    ...pauseOf(pausedFor),
    ...(demand.length > 0 && { demand: parseDemand(demand) }),
  };
}

/** What is left of a pause; nothing where there is none. */
function pauseOf(field: Field | undefined): { readonly pausedForMs?: number } {
  const pausedForMs = number(field);
  return pausedForMs > 0 ? { pausedForMs } : {};
}

/** What a member is answered that shares by demand, or is one of a semaphore. */
function parseDemand(parts: readonly Field[]): DemandView {
  const [waterLevel, reserve, extra, odd, tight, hungry, ...slots] = fields(parts, 6);
  return {
    waterLevel: number(waterLevel),
    reserve: number(reserve),
    extra: number(extra),
    odd: number(odd) === 1,
    tight: number(tight) === 1,
    hungry: number(hungry) === 1,
    ...(slots.length > 0 && { slots: parseSlots(slots) }),
  };
}

function parseSlots(parts: readonly Field[]): SlotView {
  const [over, wanted, place, turns] = fields(parts, 4);
  return { over: number(over) === 1, wanted: number(wanted) === 1, place: number(place), turns: number(turns) };
}

/**
 * The view in a reply of `register.lua`.
 * @throws DtError `DT_INTERVAL_MISMATCH`, `DT_STORE_REPLY`, `DT_STORE_DATA`
 */
export function parseRegistered(reply: unknown, intervalMs: number): View {
  refuseData(reply);
  const [status, groupIntervalMs] = fields(reply, 2);
  if (status === "interval") throw intervalMismatch(number(groupIntervalMs), intervalMs);
  return parseView(reply);
}

/**
 * The snapshot in a reply of `inspect.lua`.
 * @throws DtError `DT_STORE_REPLY`, `DT_STORE_DATA`
 */
export function parseSnapshot(reply: unknown, group: string): GroupSnapshot {
  refuseData(reply);
  if (!Array.isArray(reply) || reply.length === 0) throw unexpectedReply(reply, "a snapshot");
  const [groupRow, ...memberRows] = reply as readonly unknown[];
  const [
    generation,
    capacity,
    memberCount,
    adopted,
    held,
    interval,
    storeTime,
    groupAge,
    learning,
    pausedFor,
    ...copy
  ] = texts(groupRow, 12);
  const [revision, max] = copy;
  return {
    group,
    generation: number(generation),
    capacity: number(capacity),
    ...(revision !== "" && { stored: { revision: number(revision), values: { max: number(max) } } }),
    memberCount: number(memberCount),
    adopted: number(adopted),
    held: number(held),
    intervalMs: number(interval),
    storeTimeMs: number(storeTime),
    groupAgeMs: number(groupAge),
    learning: learning === "1",
    ...pauseOf(pausedFor),
    members: memberRows.map(parseMember).sort((a, b) => a.rank - b.rank),
  };
}

function parseMember(row: unknown): MemberSnapshot {
  const [id, incarnation, rank, generation, memberCount, held, max, level, silent, fenced, want, used, waiting] = texts(
    row,
    13,
  );
  return {
    id: id as string,
    incarnation: incarnation as string,
    rank: number(rank),
    generation: number(generation),
    memberCount: number(memberCount),
    held: number(held),
    max: optionalNumber(max),
    level: optionalNumber(level),
    silentMs: number(silent),
    fenced: fenced === "1",
    ...(want !== "" && { want: number(want) }),
    ...(used !== "" && { used: number(used), waiting: number(waiting) }),
  };
}

/**
 * The report in a reply of `repair-command.lua`.
 * @throws DtError `DT_STORE_REPLY`, `DT_STORE_DATA`
 */
export function parseRepairReport(reply: unknown): RepairReport {
  refuseData(reply);
  const [status, members, reset, ...found] = texts(reply, 3);
  if (status !== "repaired") throw unexpectedReply(reply, "a report");
  return { found, members: number(members), reset: reset === "1" };
}

/**
 * Checks the reply of `deregister.lua`.
 * @throws DtError `DT_STORE_REPLY`, `DT_STORE_DATA`
 */
export function checkFarewellReply(reply: unknown): void {
  refuseData(reply);
  if (reply !== "ok") throw unexpectedReply(reply, '"ok"');
}

/** True for the answer of a script that is to be sent again, with the keys of a semaphore: see `load_group`. */
export function isWithoutSlotKeys(reply: unknown): boolean {
  return Array.isArray(reply) && reply[0] === "needs slots";
}

/**
 * Throws what a script of a group said instead of an answer: that what is stored is damaged beyond healing, of a newer
 * version, or from before the first release.
 * @throws DtError `DT_STORE_DATA`
 */
function refuseData(reply: unknown): void {
  refuseLimit(reply);
  if (!Array.isArray(reply)) return;
  const [status, what, version, known] = reply as readonly unknown[];
  if (status === "damaged")
    throw new DtError(
      "DT_STORE_DATA",
      `${what}; something else wrote it: run "dt repair <store> throttle <name>", with --reset if that is not enough`,
    );
  if (status === "newer") throw newerData(String(what), Number(version), Number(known));
  if (status === "unreleased") throw unreleasedData(String(what));
}
