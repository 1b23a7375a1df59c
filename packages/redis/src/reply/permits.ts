import type { PermitSnapshot, Reservation } from "@dt/core";
import { damagedPermits, inspectPermits, termsMismatch } from "@dt/core/ledger";
import { number, texts, unexpectedReply } from "./field.ts";
import { refuseLimit } from "./limits.ts";

/**
 * The reservation in a reply of `reserve.lua`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseReservation(reply: unknown): Reservation {
  const fields = typeof reply === "string" ? reply.split(" ") : [];
  if (fields.length !== 8 && fields.length !== 10) throw unexpectedReply(reply, "a text of 8 or 10 numbers");
  const [granted, first, step, earliest, retryAfter, reservedAhead, storeTime, pausedFor, every, burst] = fields;
  const pausedForMs = number(pausedFor);
  return {
    granted: number(granted),
    firstMs: number(first),
    stepMs: number(step),
    earliestMs: number(earliest),
    retryAfterMs: number(retryAfter),
    reservedAhead: number(reservedAhead),
    storeTimeMs: number(storeTime),
    ...(pausedForMs > 0 && { pausedForMs }),
    ...(every !== undefined && { limit: { everyMs: number(every), burst: number(burst) } }),
  };
}

/** Values of a reply of `inspect.lua` of permits. */
const WIDTH = 12;

/**
 * What a key holds, or undefined when nothing is left of it.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parsePermitSnapshot(reply: unknown, key: string): PermitSnapshot | undefined {
  if (reply === "nothing") return undefined;
  const [tat, last, terms, formerTerms, pausedUntil, now, known, freed, waiting, ...copy] = texts(reply, WIDTH);
  const [revision, every, burst] = copy;
  const row = {
    tatMs: number(tat),
    lastMs: number(last),
    offsetMs: 0,
    terms: terms || undefined,
    formerTerms: formerTerms || undefined,
    pausedUntilMs: number(pausedUntil),
    ...(revision !== "" && {
      stored: { revision: number(revision), values: { everyMs: number(every), burst: number(burst) } },
    }),
  };
  const counts = { known: number(known), freed: number(freed), waiting: number(waiting) };
  return inspectPermits({ row: () => row, count: () => counts }, key, number(now));
}

/**
 * Throws what a script of permits said instead of an answer: that the key is damaged, or used with other terms.
 * @param key the first of the key's keys in Redis
 * @throws DtError `DT_STORE_DATA`, `DT_PACE_MISMATCH`
 */
export function refuseReply(reply: unknown, key: string, terms = ""): void {
  if (typeof reply !== "string") return;
  if (reply.startsWith("damaged ")) throw damagedPermits(`redis key ${key}`, reply.slice("damaged ".length));
  refuseLimit(reply);
  if (reply.startsWith("terms ")) throw termsMismatch(reply.slice("terms ".length), terms);
}

/** One of the key's keys may hold what no command of a script can be used on. */
export function withoutWrongType(error: unknown, key: string): unknown {
  const isWrong = error instanceof Error && error.message.includes("WRONGTYPE");
  return isWrong ? damagedPermits(`redis key ${key}, or one that begins like it,`, "a value of another type") : error;
}
