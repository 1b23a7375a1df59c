import type { Reservation } from "@dt/core";
import { termsMismatch } from "@dt/core/ledger";
import { number, rowOf } from "./field.ts";

/** Attributes of the type dt_reservation. */
const WIDTH = 8;

/**
 * The reservation in an answer of `dt_reserve`.
 * @param terms those of the request
 * @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_REPLY`
 */
export function parseReservation(reply: unknown, terms = ""): Reservation {
  const [granted, first, step, earliest, retryAfter, reservedAhead, storeTime, otherTerms] = rowOf(reply, WIDTH);
  if (typeof otherTerms === "string") throw termsMismatch(otherTerms, terms);
  return {
    granted: number(granted),
    firstMs: number(first),
    stepMs: number(step),
    earliestMs: number(earliest),
    retryAfterMs: number(retryAfter),
    reservedAhead: number(reservedAhead),
    storeTimeMs: number(storeTime),
  };
}
