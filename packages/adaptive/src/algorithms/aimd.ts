import { checkDuration, checkKeys, type Duration } from "@dt/core/kit";
import type { LimitAlgorithm, LimitState, SampleWindow } from "./algorithm.ts";
import { BOUNDS_KEYS, checkBounds, checkNumber, type LimitBounds } from "./bounds.ts";

export interface AimdOptions extends LimitBounds {
  /** What is added after a window without a sign of overload. Default 1. */
  readonly increase?: number;
  /** By what the limit is multiplied after a window with one, below 1. Default 0.9. */
  readonly decrease?: number;
  /** A window whose 90th percentile took longer counts as overload. Default "5s". */
  readonly slow?: Duration;
}

export interface AimdState extends LimitState {
  /** Windows for which we still wait, after a cut, until no more is in flight than the new limit. */
  readonly draining: number;
}

const KEYS: ReadonlySet<string> = new Set([...BOUNDS_KEYS, "increase", "decrease", "slow"]);

/**
 * One call that costs more than the limit passes alone, and would look like a cut that never drains. So the wait has an
 * end.
 */
const LONGEST_DRAIN = 20;

/**
 * Additive increase, multiplicative decrease. The sign of overload is an `overload` outcome or a slow window; it learns
 * nothing from latency below that.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function aimd(options: AimdOptions = {}): LimitAlgorithm<AimdState> {
  checkKeys("options", options, KEYS);
  const { initial, clamp } = checkBounds(options);
  const increase = checkNumber("increase", options.increase ?? 1, 0, Number.POSITIVE_INFINITY);
  const decrease = checkNumber("decrease", options.decrease ?? 0.9, 0.01, 0.99);
  const slowMs = checkDuration("slow", options.slow ?? "5s", 1);
  const length = { minMs: 100, minSamples: 10, maxMs: 1_000 };

  function next(state: AimdState, window: SampleWindow): AimdState {
    // After a cut, calls that were let through under the old limit come back first. They say nothing of the new one.
    if (state.draining > 0 && window.maxInflight > state.limit) return { ...state, draining: state.draining - 1 };
    const overloaded = window.overloads > 0 || window.p90Ms > slowMs;
    if (overloaded) return { limit: clamp(state.limit * decrease), draining: LONGEST_DRAIN };
    // A limit that is not made use of was not tested, so nothing was learned.
    const tested = 2 * window.maxInflight >= state.limit;
    return { limit: tested ? clamp(state.limit + increase) : state.limit, draining: 0 };
  }

  return { name: "aimd", window: () => length, start: () => ({ limit: initial, draining: 0 }), next };
}
