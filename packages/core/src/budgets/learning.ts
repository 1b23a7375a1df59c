import type { LimitRow } from "./budget-table.ts";
import { SLOTS } from "./window.ts";

/**
 * So many times the spread is kept free. With what a slot and the lateness of calls leave free besides, a callee that
 * counts true costs refused no call in 60 simulated fleets, half of them with estimates from 0.3 to 3 of the truth.
 */
const SPREADS = 2;

/** No more of a limit is kept free, however wrong the estimates are. */
const MOST_MARGIN = 1 / 5;

/**
 * Units of a limit that are kept free. The calls that run are charged by estimates, and the callee counts what they
 * cost. So what runs may be off by some spreads, less what estimates are too high on the whole. A charge counts for
 * half a slot too long on average: that much is free already.
 */
export function marginOf(limit: LimitRow, nowMs: number): number {
  const left = leftOf(limit, nowMs);
  const margin = SPREADS * Math.sqrt(limit.variance * left) - limit.surplus * left - limit.max / (2 * SLOTS);
  return Math.min(limit.max * MOST_MARGIN, Math.max(0, margin));
}

/**
 * Learns from one settlement. Calls that run at one time are Poisson many. So the errors of their estimates have the
 * mean `rate x error x duration` and the variance `rate x error^2 x duration` (Campbell's theorem), here averaged over
 * a window.
 */
export function learn(limit: LimitRow, error: number, ranMs: number, nowMs: number): void {
  const left = leftOf(limit, nowMs);
  const weight = Math.min(Math.max(0, ranMs), limit.windowMs) / limit.windowMs;
  limit.surplus = limit.surplus * left + error * weight;
  limit.variance = limit.variance * left + error * error * weight;
  limit.learnedMs = nowMs;
}

/** What is left of an average after the time since. Linear, so that every port computes the same. */
function leftOf(limit: LimitRow, nowMs: number): number {
  return Math.max(0, 1 - (nowMs - limit.learnedMs) / limit.windowMs);
}
