import type { Arrival } from "../record.ts";

/** A distribution in four numbers. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** By nearest rank; all 0 without values. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = Float64Array.from(values).sort();
  const at = (percent: number): number => sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
  return { p50: at(50), p90: at(90), p99: at(99), max: at(100) };
}

/**
 * Arrival jitter, as a callee with a sliding window feels it. If every token were used at its instant and every request
 * took equally long, a request would come at least one window after the one that lies `limit` requests before it. What
 * it comes too early, in milliseconds, is the jitter: timers that fire late, requests that take longer than others,
 * processes that see the store's clock differently, all in one number. `atMs` in order.
 */
export function arrivalJitter(atMs: readonly number[], limit: number, windowMs: number): Percentiles {
  return percentiles(atMs.slice(limit).map((at, index) => Math.max(0, windowMs - (at - (atMs[index] as number)))));
}

/** How long requests were on their way, from the grant in the worker to the server's eyes. */
export function transit(arrivals: readonly Pick<Arrival, "atMs" | "grantedMs">[]): Percentiles {
  return percentiles(arrivals.map(({ atMs, grantedMs }) => atMs - grantedMs));
}
