import type { Reservation } from "../contract/permit-ledger.ts";
import type { PacerSettings } from "./pacer-options.ts";

/** Of so much time, permits are reserved in one round trip, so that processes take turns. */
const BLOCK_MS = 20;

/*
 * What a turn at the bound is made of. Measured in virtual time, 2 s each: four to twelve processes, 1,000 to 10,000
 * permits a second, round trips of 0.2 to 1 ms. Twice as long a turn made parts of four processes 0.5 to 1.5 of what is
 * fair (0.9 to 1.1 with this one); half as long took one and a half times the round trips.
 */
const TURN_MS = BLOCK_MS / 2;
/**
 * Of what is reserved ahead, so much is one turn. With a half, twelve processes left a quarter of the permits unused;
 * an eighth took 1.7 times the round trips.
 */
const TURN_PART = 1 / 4;
/**
 * Permits of so many turns are taken at once, at most. Without a bound one of eight processes got 2.3 times its part
 * (1.7 with it); 1 took half as many round trips again.
 */
const MOST_TURNS = 1.4;

/**
 * How many permits to ask for, when so many callers are `queued`, `perMs` permits were used in a millisecond of late,
 * and the last answer took `roundTripMs`. One, as long as round trips keep up with the rate. At high rates as many as
 * are wanted, or will be in a moment by the recent rate; over a slow link as many as are wanted of those that fall due
 * within a round trip, or the link would set the rate.
 */
export function blockSize(settings: PacerSettings, queued: number, perMs: number, roundTripMs: number): number {
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
 * At high rates and at the bound, room for a block is worth waiting for, while so much is reserved ahead that nobody
 * waits for it. Whoever has others ahead in the queue leaves a turn to each of them, and takes not much more than a
 * turn's permits itself, or the first after a long gap would take it all.
 */
export function turnOf(settings: PacerSettings, { reservedAhead, retryAfterMs }: Reservation): Turn {
  const { everyMs, maxReserved, runtime } = settings;
  // The refusal itself leaves one permit to each.
  const turnMs = Math.min(TURN_MS, reservedAhead * everyMs * TURN_PART) - everyMs;
  if (!reservesAheadOfDemand(settings) || turnMs <= 0) return NO_TURNS;
  // By P4 and P8 the answer is when there is room for those ahead and one more.
  const queuedBefore = Math.max(0, Math.floor(retryAfterMs / everyMs - reservedAhead + maxReserved));
  const most = queuedBefore > 0 ? Math.ceil((MOST_TURNS * turnMs) / everyMs) : Number.POSITIVE_INFINITY;
  return { waitMs: turnMs * (queuedBefore + runtime.random()), most };
}
