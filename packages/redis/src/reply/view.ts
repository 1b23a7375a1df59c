import type { DemandView, View } from "@dt/core";
import { intervalMismatch } from "@dt/core/ledger";
import { type Field, fields, number, optionalNumber, texts, time, unexpectedReply } from "./field.ts";
import { refuseData } from "./refused-data.ts";

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
    poolSize,
    reportedPoolSize,
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
    ...demand
  ] = fields(rest, 14);
  return {
    status,
    generation: number(generation),
    poolSize: number(poolSize),
    reportedPoolSize: number(reportedPoolSize),
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
    ...(demand.length > 0 && { demand: parseDemand(demand) }),
  };
}

/** What a member is answered that shares by demand. */
function parseDemand(parts: readonly Field[]): DemandView {
  const [level, reserve, extra, odd, tight, hungry] = fields(parts, 6);
  return {
    level: number(level),
    reserve: number(reserve),
    extra: number(extra),
    odd: number(odd) === 1,
    tight: number(tight) === 1,
    hungry: number(hungry) === 1,
  };
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
