import { checkDuration, checkKeys, type Duration } from "@dt/core/kit";
import type { LimitAlgorithm, LimitState, SampleWindow } from "./algorithm.ts";
import { BOUNDS_KEYS, checkBounds, checkNumber, type LimitBounds } from "./bounds.ts";

export interface QueueWaitOptions extends LimitBounds {
  /** The wait that is aimed at, as a part of the time that the callee works on a call. Default 0.25. */
  readonly target?: number;
  /** But at least this. Default "5ms". */
  readonly least?: Duration;
}

export interface QueueWaitState extends LimitState {
  /** True until the callee was seen to have a queue: the limit grows by a quarter at a time. */
  readonly slowStart: boolean;
}

const KEYS: ReadonlySet<string> = new Set([...BOUNDS_KEYS, "target", "least"]);

/** The part of calls that may be refused by the callee before the limit is cut for it. */
export const FEW_OVERLOADS = 0.02;

/**
 * The limit follows the wait that the callee itself reports (`CalleeReport.queueWaitMs`): it grows while calls wait less than aimed at, and shrinks in
 * proportion to what they wait more. Windows without any report change it only on overload.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function queueWait(options: QueueWaitOptions = {}): LimitAlgorithm<QueueWaitState> {
  checkKeys("options", options, KEYS);
  const { initial, clamp } = checkBounds(options);
  const target = checkNumber("target", options.target ?? 0.25, 0.001, 100);
  const leastMs = checkDuration("least", options.least ?? "5ms", 0.001);
  const length = { minMs: 100, minSamples: 10, maxMs: 1_000 };

  function next(state: QueueWaitState, window: SampleWindow): QueueWaitState {
    const { limit } = state;
    if (window.overloads > FEW_OVERLOADS * (window.samples + window.overloads))
      return { limit: clamp(limit * 0.8), slowStart: false };
    if (window.reports === 0) return state;
    const waitMs = window.queueWaitMs;
    const aimMs = Math.max(leastMs, target * (window.meanMs - waitMs));
    if (waitMs > aimMs) return { limit: clamp(limit * (1 - (0.3 * (waitMs - aimMs)) / waitMs)), slowStart: false };
    if (2 * window.maxInflight < limit) return state;
    return { limit: clamp(state.slowStart ? limit * 1.25 : limit + 1), slowStart: state.slowStart };
  }

  return { name: "queue-wait", window: () => length, start: () => ({ limit: initial, slowStart: true }), next };
}
