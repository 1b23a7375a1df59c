import { damagedLimit, type UncheckedLimitRecord } from "@dt/core/ledger";
import type { StoredLimit } from "@dt/core/store";
import { number, unexpectedReply } from "./field.ts";

/** A record of which nothing is known but that it is damaged. */
const DAMAGED: UncheckedLimitRecord = { revision: "damaged", values: null, untilMs: null, history: null };

/**
 * The record in a reply of `read.lua` of limits, unchecked.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseLimit(reply: unknown): StoredLimit {
  if (!Array.isArray(reply)) throw unexpectedReply(reply, "a list");
  const [storeTime, revision, ...parts] = reply as readonly unknown[];
  const storeTimeMs = number(typeof storeTime === "string" ? storeTime : undefined);
  if (reply.length === 1) return { stored: undefined, storeTimeMs };
  if (revision === "damaged") return { stored: DAMAGED, storeTimeMs };
  const [values, untilMs, history] = parts.map((part) => part ?? null);
  return { stored: { revision: numberIn(revision), values, untilMs: numberIn(untilMs), history }, storeTimeMs };
}

/** Whether a record was written. @throws DtError `DT_STORE_REPLY` */
export function parseWritten(reply: unknown): boolean {
  if (reply !== 0 && reply !== 1 && reply !== "0" && reply !== "1") throw unexpectedReply(reply, "1 or 0");
  return Number(reply) === 1;
}

/** What is no number stays as it is, for the message. */
function numberIn(part: unknown): unknown {
  return typeof part === "string" && part.trim() !== "" && Number.isFinite(Number(part)) ? Number(part) : part;
}

/**
 * Throws what a request with `stored` was told instead of an answer: that the limit record is damaged.
 * @throws DtError `DT_STORE_DATA`
 */
export function refuseLimit(reply: unknown): void {
  if (Array.isArray(reply) && reply[0] === "limit") throw damagedLimit(String(reply[1]));
  if (typeof reply === "string" && reply.startsWith("limit ")) throw damagedLimit(reply.slice("limit ".length));
}
