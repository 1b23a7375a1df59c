import type { Reservation } from "@dt/core";
import { number, unexpectedReply } from "./field.ts";

/**
 * The reservation in a reply of `reserve.lua`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseReservation(reply: unknown): Reservation {
  const fields = typeof reply === "string" ? reply.split(" ") : [];
  if (fields.length !== 7) throw unexpectedReply(reply, "a text of 7 numbers");
  const [granted, first, step, earliest, retryAfter, reservedAhead, storeTime] = fields;
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
