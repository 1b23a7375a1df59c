import type { Reservation } from "../contract/permit-ledger.ts";
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

/** What a pacer does at the bound: how long it waits beyond what it was told, and how many permits it asks for then. */
export interface Turn {
  readonly waitMs: number;
  readonly most: number;
}

export const NO_TURNS: Turn = { waitMs: 0, most: Number.POSITIVE_INFINITY };

/**
 * At high rates and at the bound, room for a block is worth waiting for, while so much is reserved ahead that nobody waits for it. Whoever has others ahead in line
 * leaves a turn to each of them, and takes not much more than a turn's permits itself, or the first after a long gap would take it all.
 */
export function turnOf(settings: PacerSettings, { reservedAhead, retryAfterMs }: Reservation): Turn {
  const { everyMs, maxReserved, runtime } = settings;
  // The refusal itself leaves one permit to each.
  const turnMs = Math.min(BLOCK_MS / 2, (reservedAhead * everyMs) / 4) - everyMs;
  if (!reservesAheadOfDemand(settings) || turnMs <= 0) return NO_TURNS;
  // By P4 and P8 the answer is when there is room for those ahead and one more.
  const inLineBefore = Math.max(0, Math.floor(retryAfterMs / everyMs - reservedAhead + maxReserved));
  const most = inLineBefore > 0 ? Math.ceil((1.4 * turnMs) / everyMs) : Number.POSITIVE_INFINITY;
  return { waitMs: turnMs * (inLineBefore + runtime.random()), most };
}
