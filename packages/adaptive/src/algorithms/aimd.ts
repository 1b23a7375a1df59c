import { type Duration, option, settingsOf, type TableOf } from "@dt/core/internal";
import { type LimitAlgorithm, type LimitState, type SampleWindow, WINDOW } from "./algorithm.ts";
import { BOUNDS, boundsOf, type LimitBounds, ranged } from "./bounds.ts";
import { afterCut, type Drain, drained, isDraining, NO_DRAIN } from "./drain.ts";

/** Options of {@link aimd}. */
export interface AimdOptions extends LimitBounds {
  /**
   * The amount that is added to the limit after a window without a sign of overload.
   * @default 1
   */
  readonly increase?: number;
  /**
   * The factor that the limit is multiplied by after a window with a sign of overload; below 1.
   * @default 0.9
   */
  readonly decrease?: number;
  /**
   * A window whose 90th percentile took longer counts as overload.
   * @default none: then only overloads count
   */
  readonly slow?: Duration;
}

/** What {@link aimd} knows. */
export interface AimdState extends LimitState {
  /** When the queue at the callee was last let run dry. */
  readonly drain: Drain;
}

const AIMD = {
  ...BOUNDS,
  increase: ranged(0).or(1),
  decrease: ranged(0.01, 0.99).or(0.9),
  slow: option.duration(1).optional,
} satisfies TableOf<AimdOptions>;

/**
 * Additive increase, multiplicative decrease. The sign of overload is an `overload` outcome, and a slow window where
 * `slow` is given; it learns nothing else from latency.
 * @param options bounds and steps
 * @throws DtError `DT_INVALID_OPTION`
 * @example const limit = createConcurrencyLimit({ algorithm: aimd({ max: 200 }) });
 */
export function aimd(options: AimdOptions = {}): LimitAlgorithm<AimdState> {
  const { increase, decrease, slowMs = Number.POSITIVE_INFINITY, ...bounds } = settingsOf(AIMD, options);
  const { start, clamp } = boundsOf(bounds);

  function next(state: AimdState, window: SampleWindow): AimdState {
    // After a cut, calls that were let through under the old limit come back first. They say nothing of the new one.
    const drain = drained(state.drain, state.limit, window);
    if (isDraining(state.drain) && window.maxInflight > state.limit) return { ...state, drain };
    const overloaded = window.overloads > 0 || window.p90Ms > slowMs;
    if (overloaded) return { limit: clamp(state.limit * decrease), drain: afterCut(drain, window) };
    // A limit that is not made use of was not tested, so nothing was learned.
    const tested = 2 * window.maxInflight >= state.limit;
    return { limit: tested ? clamp(state.limit + increase) : state.limit, drain };
  }

  return {
    name: "aimd",
    window: () => WINDOW,
    start: (learned) => ({ limit: start(learned), drain: NO_DRAIN }),
    next,
  };
}
