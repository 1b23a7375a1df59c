import type { Reservation } from "@dt/core";
import { number, texts } from "./field.ts";

/**
 * The reservation in a reply of `reserve.lua`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseReservation(reply: unknown): Reservation {
  const [granted, first, step, earliest, retryAfter, reservedAhead, storeTime] = texts(reply, 7);
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
