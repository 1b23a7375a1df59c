import type { SampleWindow } from "./algorithm.ts";

/** The time after a cut in which what was let through before it is still in flight. */
export interface Drain {
  /** Windows for which we still wait; 0 when we do not. */
  readonly windows: number;
  /** Nor do we give up waiting before this time, on the runtime's clock. */
  readonly untilMs: number;
  /** The mean latency of the last window with successes, in milliseconds; 0 before. */
  readonly latencyMs: number;
}

export const NO_DRAIN: Drain = { windows: 0, untilMs: 0, latencyMs: 0 };

/**
 * One call that costs more than the limit passes alone, and would look like a cut that never drains. So the wait has an
 * end: so many windows, and as many latencies as what was let through before the cut may take at most, give or take
 * one.
 */
const LONGEST_WINDOWS = 20;
const LONGEST_LATENCIES = 2;

export const isDraining = ({ windows }: Drain): boolean => windows > 0;

export function afterCut({ latencyMs }: Drain, { endMs }: SampleWindow): Drain {
  return { windows: LONGEST_WINDOWS, untilMs: endMs + LONGEST_LATENCIES * latencyMs, latencyMs };
}

/** What a window changes: `limit` is that after the cut. */
export function drained(before: Drain, limit: number, window: SampleWindow): Drain {
  const latencyMs = window.samples > 0 ? window.meanMs : before.latencyMs;
  if (before.windows === 0 || window.maxInflight <= limit) return { ...before, latencyMs, windows: 0 };
  const last = window.endMs < before.untilMs ? 1 : 0;
  return { ...before, latencyMs, windows: Math.max(last, before.windows - 1) };
}
