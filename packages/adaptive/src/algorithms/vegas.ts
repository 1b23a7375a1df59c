import { settingsOf } from "@dt/core/internal";
import { type LimitAlgorithm, type LimitState, type SampleWindow, STEP_WINDOW } from "./algorithm.ts";
import { BOUNDS, boundsOf, type LimitBounds } from "./bounds.ts";

/** What {@link vegas} knows. */
export interface VegasState extends LimitState {
  /** Mean latencies of the windows since the latency without load was last forgotten, at most 100 of them. */
  readonly meansMs: readonly number[];
  /** Samples until it is forgotten and learned anew. */
  readonly untilProbe: number;
}

const MOST_MEANS = 100;
const PROBE_ROUNDS = 30;

/**
 * TCP Vegas, as Netflix carried it over to calls. It takes the queue at the callee to be
 * `limit * (1 - latency without load / latency)`, and keeps it between one and a few calls. The latency without load is
 * a low quantile of windows, not the smallest sample: one lucky call would crush the limit.
 * @param options bounds
 * @throws DtError `DT_INVALID_OPTION`
 * @example const limit = createConcurrencyLimit({ algorithm: vegas({ max: 200 }) });
 */
export function vegas(options: LimitBounds = {}): LimitAlgorithm<VegasState> {
  const { start, clamp } = boundsOf(settingsOf(BOUNDS, options));

  function step(limit: number, window: SampleWindow, noLoadMs: number): number {
    const lg = Math.max(1, Math.floor(Math.log10(limit)));
    if (window.overloads > 0) return limit - lg;
    if (2 * window.maxInflight < limit) return limit;
    const queue = Math.ceil(limit * (1 - noLoadMs / window.meanMs));
    if (queue <= lg) return limit + 6 * lg;
    if (queue < 3 * lg) return limit + lg;
    return queue > 6 * lg ? limit - lg : limit;
  }

  function next(state: VegasState, window: SampleWindow, random: () => number): VegasState {
    if (window.samples === 0) return { ...state, limit: clamp(step(state.limit, window, Number.NaN)) };
    const forget = state.untilProbe <= 0;
    const meansMs = forget ? [window.meanMs] : [...state.meansMs.slice(1 - MOST_MEANS), window.meanMs];
    const limit = clamp(step(state.limit, window, quantile(meansMs, 0.1)));
    const untilProbe = forget ? PROBE_ROUNDS * limit * (0.5 + random() / 2) : state.untilProbe - window.samples;
    return { limit, meansMs, untilProbe };
  }

  return {
    name: "vegas",
    window: () => STEP_WINDOW,
    start: (learned) => {
      const limit = start(learned);
      return { limit, meansMs: [], untilProbe: PROBE_ROUNDS * limit };
    },
    next,
  };
}

/** The smallest of `values` that at least the part `q` of them does not exceed. NaN without values. */
function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}
