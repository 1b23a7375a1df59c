import { type Duration, option, settingsOf, type TableOf } from "@dt/core/internal";
import { type LimitAlgorithm, type LimitState, type SampleWindow, WINDOW } from "./algorithm.ts";
import { BOUNDS, boundsOf, type LimitBounds, ranged } from "./bounds.ts";

/** Options of {@link envoyGradient}. */
export interface EnvoyGradientOptions extends LimitBounds {
  /**
   * The limit while the latency without load is measured, in units of cost.
   * @default 3
   */
  readonly probeLimit?: number;
  /**
   * How many answers such a measurement takes.
   * @default 50
   */
  readonly probeSamples?: number;
  /**
   * How often it is made, but no sooner than after 20 times what the last one took. Up to 15 % is added by chance, so
   * that clients do not measure together.
   * @default "60s"
   */
  readonly probeEvery?: Duration;
  /**
   * By what part latency may be above the measured one before the limit shrinks.
   * @default 0.25
   */
  readonly buffer?: number;
}

/** What {@link envoyGradient} knows. */
export interface EnvoyGradientState extends LimitState {
  /** The median without load, in milliseconds. NaN until it was measured. */
  readonly minMs: number;
  /** The limit to go back to after a measurement; undefined outside of one. */
  readonly before: number | undefined;
  /** True until the calls that were let through before the measurement have ended. */
  readonly draining: boolean;
  /** When the next measurement is due, or began, on the runtime's clock. NaN until the first is done. */
  readonly probeAtMs: number;
}

const ENVOY = {
  ...BOUNDS,
  probeLimit: ranged(1).optional,
  probeSamples: ranged(1, 1e6).or(50),
  probeEvery: option.duration(1_000).or("60s"),
  buffer: ranged(0, 100).or(0.25),
} satisfies TableOf<EnvoyGradientOptions>;

/**
 * One call that costs more than the limit passes alone, and would look like one that never drains. So the wait has an
 * end: in milliseconds, or in latencies where that is longer.
 */
const LONGEST_DRAIN_MS = 2_000;
const LONGEST_DRAIN_LATENCIES = 2;
/** A measurement sheds nearly all: it takes a twentieth of the time at most, however long calls take. */
const MOST_PROBING = 1 / 20;

/**
 * Envoy's gradient: from time to time the limit falls to 3 for 50 calls, whose median is taken for the latency without
 * load. In between the limit follows the ratio of that to the present median. Known: the measurement sheds healthy
 * traffic.
 * @param options bounds and times
 * @throws DtError `DT_INVALID_OPTION`
 * @example const limit = createConcurrencyLimit({ algorithm: envoyGradient({ max: 200 }) });
 */
export function envoyGradient(options: EnvoyGradientOptions = {}): LimitAlgorithm<EnvoyGradientState> {
  const { probeSamples, probeEveryMs, buffer, ...settings } = settingsOf(ENVOY, options);
  const { start, clamp } = boundsOf(settings);
  const { probeLimit = clamp(3) } = settings;
  // Its steps are of a quarter of the limit: what four of them bring is seen before the next.
  const update = { ...WINDOW, minLatencies: 0.25 };
  const drain = { minMs: 1, minSamples: 1, maxMs: 1_000 };
  // Where calls take long, the 18 samples of six latencies must do: nearly all is shed meanwhile.
  const probe = { minMs: 1, minSamples: probeSamples, maxMs: 60_000, maxLatencies: 6 };

  function measured(state: EnvoyGradientState, window: SampleWindow, random: () => number): EnvoyGradientState {
    if (state.draining) {
      const latencyMs = window.samples > 0 ? window.meanMs : 0;
      const longestMs = Math.max(LONGEST_DRAIN_MS, LONGEST_DRAIN_LATENCIES * latencyMs);
      return { ...state, draining: window.maxInflight > state.limit && window.endMs - state.probeAtMs < longestMs };
    }
    if (window.samples === 0) return state;
    // The first one begins with the limit, and nothing to drain.
    const tookMs = window.endMs - (Number.isNaN(state.probeAtMs) ? window.startMs : state.probeAtMs);
    const probeAtMs = window.endMs + Math.max(probeEveryMs, tookMs / MOST_PROBING) * (1 + 0.15 * random());
    return { limit: state.before ?? start(), minMs: window.medianMs, before: undefined, draining: false, probeAtMs };
  }

  function next(state: EnvoyGradientState, window: SampleWindow, random: () => number): EnvoyGradientState {
    if (state.before !== undefined) return measured(state, window, random);
    if (window.endMs >= state.probeAtMs)
      return { ...state, limit: probeLimit, before: state.limit, draining: true, probeAtMs: window.endMs };
    if (window.samples === 0) return window.overloads > 0 ? { ...state, limit: clamp(state.limit * 0.5) } : state;
    const gradient = Math.max(0.5, Math.min(2, ((1 + buffer) * state.minMs) / window.medianMs));
    const scaled = state.limit * gradient;
    return { ...state, limit: clamp(Math.floor(scaled + Math.sqrt(scaled))) };
  }

  return {
    name: "envoy-gradient",
    window: (state) => (state.before === undefined ? update : state.draining ? drain : probe),
    start: (learned) => ({
      ...{ limit: probeLimit, minMs: Number.NaN, before: start(learned) },
      ...{ draining: false, probeAtMs: Number.NaN },
    }),
    next,
  };
}
