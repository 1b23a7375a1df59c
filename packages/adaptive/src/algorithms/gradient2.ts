import { settingsOf, type TableOf } from "@dt/core/internal";
import { type LimitAlgorithm, type LimitState, type SampleWindow, STEP_WINDOW } from "./algorithm.ts";
import { BOUNDS, boundsOf, type LimitBounds, ranged } from "./bounds.ts";

/** Options of {@link gradient2}. */
export interface Gradient2Options extends LimitBounds {
  /**
   * What may wait at the callee, in units of cost: added to the limit at every step.
   * @default 4
   */
  readonly queue?: number;
  /**
   * How much of the way to the new limit is gone in one window, from 0 to 1.
   * @default 0.2
   */
  readonly smoothing?: number;
  /**
   * By what factor latency may be above its long average before the limit shrinks.
   * @default 1.5
   */
  readonly tolerance?: number;
  /**
   * Over how many windows the long average forgets.
   * @default 600
   */
  readonly longWindow?: number;
}

/** What {@link gradient2} knows. */
export interface Gradient2State extends LimitState {
  /** The long average of the latency, in milliseconds. NaN before the first window. */
  readonly longMs: number;
  /** How many windows are in it. */
  readonly windows: number;
}

/** The first windows weigh alike; only then does the average forget. */
const WARM_UP = 10;

const GRADIENT2 = {
  ...BOUNDS,
  queue: ranged(0).or(4),
  smoothing: ranged(0.001, 1).or(0.2),
  tolerance: ranged(1, 100).or(1.5),
  longWindow: ranged(WARM_UP, 1e6).or(600),
} satisfies TableOf<Gradient2Options>;

/**
 * Netflix' Gradient2: the limit follows the ratio of a long average of the latency to the present one. One departure:
 * it cuts by a tenth on overload, which the original ignores, so that constant timeouts cannot drive it to `max`.
 * @param options bounds and tolerance
 * @throws DtError `DT_INVALID_OPTION`
 * @example const limit = createConcurrencyLimit({ algorithm: gradient2({ max: 200 }) });
 */
export function gradient2(options: Gradient2Options = {}): LimitAlgorithm<Gradient2State> {
  const { queue, smoothing, tolerance, longWindow, ...bounds } = settingsOf(GRADIENT2, options);
  const { start, clamp } = boundsOf(bounds);

  function average(state: Gradient2State, meanMs: number): number {
    if (state.windows === 0) return meanMs;
    const weight = state.windows < WARM_UP ? 1 / (state.windows + 1) : 2 / (longWindow + 1);
    const longMs = state.longMs + weight * (meanMs - state.longMs);
    // After a long overload the average is too high by far; it comes down faster than it went up.
    return longMs / meanMs > 2 ? longMs * 0.95 : longMs;
  }

  function next(state: Gradient2State, window: SampleWindow): Gradient2State {
    const seen = window.samples > 0;
    const longMs = seen ? average(state, window.meanMs) : state.longMs;
    const windows = seen ? state.windows + 1 : state.windows;
    if (window.overloads > 0) return { limit: clamp(state.limit * 0.9), longMs, windows };
    if (!seen || window.maxInflight < state.limit / 2) return { limit: state.limit, longMs, windows };
    const gradient = Math.max(0.5, Math.min(1, (tolerance * longMs) / window.meanMs));
    const aim = state.limit * gradient + queue;
    return { limit: clamp(state.limit * (1 - smoothing) + aim * smoothing), longMs, windows };
  }

  return {
    name: "gradient2",
    window: () => STEP_WINDOW,
    start: (learned) => ({ limit: start(learned), longMs: Number.NaN, windows: 0 }),
    next,
  };
}
