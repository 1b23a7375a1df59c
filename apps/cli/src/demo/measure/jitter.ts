import { type Percentiles, percentiles } from "./percentiles.ts";

/**
 * Arrival jitter, as a callee with a sliding window feels it. If every token were used at its instant and every request
 * took equally long, a request would come at least one window after the one that lies `limit` requests before it. What
 * it comes too early, in milliseconds, is the jitter: timers that fire late, requests that take longer than others,
 * processes that see the store's clock differently, all in one number. `atMs` in order.
 */
export function arrivalJitter(atMs: ArrayLike<number>, limit: number, windowMs: number): Percentiles {
  const early: number[] = [];
  for (let last = limit; last < atMs.length; last++)
    early.push(Math.max(0, windowMs - ((atMs[last] as number) - (atMs[last - limit] as number))));
  return percentiles(early);
}

/** How long requests were on their way, from the grant in the worker to the server's eyes. */
export function transit(atMs: ArrayLike<number>, grantedMs: ArrayLike<number>): Percentiles {
  return percentiles(Array.from(atMs, (at, index) => at - (grantedMs[index] as number)));
}
