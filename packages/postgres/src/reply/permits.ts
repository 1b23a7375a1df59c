import type { PermitSnapshot, Reservation } from "@dt/core";
import { inspectPermits, termsMismatch } from "@dt/core/ledger";
import { number, rowOf, rowsOf } from "./field.ts";

/** Attributes of the type dt_reservation. */
const RESERVATION_WIDTH = 11;

/**
 * The reservation in an answer of `dt_reserve`.
 * @param terms those of the request
 * @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_REPLY`
 */
export function parseReservation(reply: unknown, terms = ""): Reservation {
  const row = rowOf(reply, RESERVATION_WIDTH);
  const [granted, first, step, earliest, retryAfter, reservedAhead, storeTime, otherTerms, ...others] = row;
  const [pausedFor, every, burst] = others;
  if (typeof otherTerms === "string") throw termsMismatch(otherTerms, terms);
  return {
    granted: number(granted),
    firstMs: number(first),
    stepMs: number(step),
    earliestMs: number(earliest),
    retryAfterMs: number(retryAfter),
    reservedAhead: number(reservedAhead),
    storeTimeMs: number(storeTime),
    ...(pausedFor !== null && { pausedForMs: number(pausedFor) }),
    ...(every !== null && { limit: { everyMs: number(every), burst: number(burst) } }),
  };
}

/** Columns of the statement in `looks/permits.sql`. */
const KEY_WIDTH = 13;

/**
 * What a key holds, or undefined when nothing is left of it.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parsePermits(reply: unknown, key: string): PermitSnapshot | undefined {
  if (rowsOf(reply, KEY_WIDTH).length === 0) return undefined;
  const [tat, last, terms, formerTerms, pausedUntil, now, known, freed, waiting, , ...copy] = rowOf(reply, KEY_WIDTH);
  const [revision, every, burst] = copy;
  const row = {
    tatMs: number(tat),
    lastMs: number(last),
    offsetMs: 0,
    terms: terms ?? undefined,
    formerTerms: formerTerms ?? undefined,
    pausedUntilMs: pausedUntil === null ? undefined : number(pausedUntil),
    ...(revision !== null && {
      stored: { revision: number(revision), values: { everyMs: number(every), burst: number(burst) } },
    }),
  };
  const counts = { known: number(known), freed: number(freed), waiting: number(waiting) };
  return inspectPermits({ row: () => row, count: () => counts }, key, number(now));
}
