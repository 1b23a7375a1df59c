import type { EpochSum } from "./epoch-sums.ts";

/** How far and how long epochs went above the limit, where that is not promised. */
export interface Overshoot {
  /** Epochs above it. */
  readonly epochs: number;
  /** The worst one, as a multiple of the limit. */
  readonly worst: number;
  /** The longest that it went on, counted in epochs from the first to the last. */
  readonly longestRun: number;
}

/** An epoch within the limit does not yet end a run: half of one may lie between two masters. */
const WITHIN = 2;

export function overshootOf(epochs: readonly EpochSum[]): Overshoot {
  let worst = 0;
  let above = 0;
  let first = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  let longestRun = 0;
  for (const { epoch, tokens, limit } of epochs) {
    worst = Math.max(worst, tokens / limit);
    if (tokens <= limit) continue;
    above += 1;
    if (epoch - last > WITHIN) first = epoch;
    last = epoch;
    longestRun = Math.max(longestRun, last - first + 1);
  }
  return { epochs: above, worst: Math.round(worst * 1_000) / 1_000, longestRun };
}
