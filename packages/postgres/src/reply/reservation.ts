import type { Reservation } from "@dt/core";
import { number, rowOf } from "./field.ts";

/** Attributes of the type dt_reservation. */
const WIDTH = 7;

/**
 * The reservation in an answer of `dt_reserve`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseReservation(reply: unknown): Reservation {
  const [granted, first, step, earliest, retryAfter, reservedAhead, storeTime] = rowOf(reply, WIDTH);
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
