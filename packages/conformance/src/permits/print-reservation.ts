import type { Reservation } from "@dt/core";
import { instantOf } from "@dt/core/ledger";

/** Instants of a block that are printed. */
const PRINTED = 6;

/** A reservation as text; instants as the delay from the store's time. */
export function printReservation(reservation: Reservation): string {
  const { granted, retryAfterMs, reservedAhead, storeTimeMs, pausedForMs } = reservation;
  const paused = pausedForMs === undefined ? "" : `, paused for ${round(pausedForMs)} ms`;
  const at = `${reservedAhead} ahead, at ${storeTimeMs}${paused}`;
  if (granted === 0) return `refused, again in ${round(retryAfterMs)} ms, ${at}`;
  const count = Math.min(granted, PRINTED);
  const delays = Array.from({ length: count }, (_, i) => round(instantOf(reservation, i) - storeTimeMs));
  return `granted ${granted}: in ${delays.join(", ")}${granted > PRINTED ? ", ..." : ""} ms, ${at}`;
}

/** Microseconds are enough for people. */
function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
