import type { DemandView, View } from "@dt/core";
import { intervalMismatch } from "@dt/core/ledger";
import { boolean, type Field, number, optionalNumber, rowOf, unexpectedReply } from "./field.ts";

/** Attributes of the type dt_view. */
const WIDTH = 22;
/** Where those begin that are only there for a member that shares by demand. */
const DEMAND = 15;
/** What the group runs with, when the status is `interval`. */
const INTERVAL = 21;

/**
 * The view in an answer of `dt_sync`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseView(reply: unknown): View {
  const row = rowOf(reply, WIDTH);
  const [status, storeTime, generation, poolSize, reportedPoolSize, rank, held, entitled, fromEpoch, early] = row;
  const [capacity, clockError, groupAge, learning, resumeLevel] = row.slice(10);
  const storeTimeMs = number(storeTime);
  if (status === "unknown" || status === "fenced") return { status, storeTimeMs };
  if (status !== "agree" && status !== "disagree") throw unexpectedReply(reply, "a view");
  const demand = row.slice(DEMAND, INTERVAL);
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
    groupAgeMs: number(groupAge),
    learning: boolean(learning),
    resumeLevel: optionalNumber(resumeLevel),
    ...(demand.some((field) => field !== null) && { demand: parseDemand(demand) }),
  };
}

/** What a member is told that shares by demand; any other is told nothing. */
function parseDemand([level, reserve, extra, odd, tight, hungry]: readonly Field[]): DemandView {
  return {
    level: number(level),
    reserve: number(reserve),
    extra: number(extra),
    odd: boolean(odd),
    tight: boolean(tight),
    hungry: boolean(hungry),
  };
}

/**
 * The view in an answer of `dt_register`.
 * @throws DtError `DT_INTERVAL_MISMATCH`, `DT_STORE_REPLY`
 */
export function parseRegistered(reply: unknown, intervalMs: number): View {
  const row = rowOf(reply, WIDTH);
  if (row[0] === "interval") throw intervalMismatch(number(row[INTERVAL]), intervalMs);
  return parseView(reply);
}
