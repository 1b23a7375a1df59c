import type { PacerSettings } from "./pacer-options.ts";

/** Of so much time, permits are reserved in one round trip, so that processes take turns. */
const BLOCK_MS = 20;

/** What a pacer knows of its demand. */
export interface Demand {
  /** Callers without an instant. */
  readonly queued: number;
  /** Permits used per millisecond of late. */
  readonly perMs: number;
  /** How long the last answer took. */
  readonly roundTripMs: number;
}

/**
 * How many permits to ask for: one, as long as round trips keep up with the rate. At high rates as many as are wanted, or will be in a moment by the recent
 * rate; over a slow link as many as are wanted of those that fall due within a round trip, or the link would set the rate.
 */
export function blockSize(settings: PacerSettings, { queued, perMs, roundTripMs }: Demand): number {
  const { everyMs, block } = settings;
  const spanMs = Math.max(BLOCK_MS, roundTripMs);
  if (everyMs * 2 > spanMs) return 1;
  const soon = reservesAheadOfDemand(settings) ? Math.ceil((perMs * BLOCK_MS) / 2) : 0;
  return Math.max(1, Math.min(Math.max(queued, soon), block, Math.ceil(spanMs / everyMs)));
}

/** True at rates so high that permits are reserved for callers still to come. */
export function reservesAheadOfDemand({ everyMs, block }: PacerSettings): boolean {
  return block > 1 && everyMs * 2 <= BLOCK_MS;
}
