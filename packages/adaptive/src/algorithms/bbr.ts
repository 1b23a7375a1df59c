import { type Duration, option, settingsOf, type TableOf } from "@dt/core/internal";
import { type LimitAlgorithm, type LimitState, type SampleWindow, WINDOW } from "./algorithm.ts";
import { BOUNDS, boundsOf, type LimitBounds, ranged } from "./bounds.ts";

/** Options of {@link bbr}. */
export interface BbrOptions extends LimitBounds {
  /**
   * What may be in flight beyond what fills the callee, as a part of that.
   * @default 0.25: calls arrive unevenly
   */
  readonly headroom?: number;
  /**
   * For how long a measured latency is believed; at least for 30 times that latency. Then it is measured again, with
   * little in flight.
   * @default "10s"
   */
  readonly believe?: Duration;
}

/**
 * - `startup`: the limit doubles until the callee answers no more calls in a second than before.
 * - `drain`: the queue that startup left at the callee runs dry.
 * - `bandwidth`: the limit just fills the callee. Now and then it is a little more, to see whether the callee takes
 *   more, and a little less after that.
 * - `round-trip`: the limit is small for a moment, to see how long a call takes that does not wait.
 */
export type BbrPhase = "startup" | "drain" | "bandwidth" | "round-trip";

/** What {@link bbr} knows. */
export interface BbrState extends LimitState {
  /** The phase: looking for more, letting the queue run dry, or measuring the shortest latency. */
  readonly phase: BbrPhase;
  /** Cost answered in a millisecond, one figure for each of the last windows. */
  readonly rates: readonly number[];
  /** The lowest mean latency of a window, and when it was seen, or is being measured since. NaN before the first. */
  readonly roundTripMs: number;
  /** When the shortest latency was measured, on the runtime's clock. */
  readonly roundTripAtMs: number;
  /**
   * In startup: windows in a row without growth. In drain: windows in it so far. In bandwidth: the place in the cycle
   * of gains. In round-trip: 1 once the calls that were in flight have ended.
   */
  readonly count: number;
  /** The highest rate seen in startup. */
  readonly fullRate: number;
}

const BBR = {
  ...BOUNDS,
  headroom: ranged(0, 10).or(0.25),
  believe: option.duration(100).or("10s"),
} satisfies TableOf<BbrOptions>;

const GAINS = [1.25, 0.75, 1, 1, 1, 1, 1, 1];
const RATES_KEPT = 10;
const PROBE_LIMIT = 4;
const PROBE_SAMPLES = 50;
/** Latencies between two measurements, at least. One takes four and more, and sheds nearly all meanwhile. */
const BELIEVED_LATENCIES = 30;
/**
 * One call that costs more than the limit passes alone, and would look like one that never drains. So the wait has an
 * end: in windows, in milliseconds, or in round trips where these are longer.
 */
const LONGEST_DRAIN = 20;
const LONGEST_DRAIN_MS = 2_000;
const LONGEST_DRAIN_LATENCIES = 2;
/**
 * How far a faster window takes the round trip with it. The lowest of many windows would be the luckiest: too little in
 * flight, so fewer answers, so still less.
 */
const TOWARDS = 0.1;

/**
 * BBR, carried over to calls. The limit that fills the callee is its highest rate times the latency of a call that does
 * not wait. Both cannot be measured at the same time, so it goes through phases. Costs count, not calls.
 * @param options bounds and gains
 * @throws DtError `DT_INVALID_OPTION`
 * @example const limit = createConcurrencyLimit({ algorithm: bbr({ max: 200 }) });
 */
export function bbr(options: BbrOptions = {}): LimitAlgorithm<BbrState> {
  const { headroom, believeMs, ...bounds } = settingsOf(BBR, options);
  const { start, clamp } = boundsOf(bounds);
  const draining = { minMs: 1, minSamples: 1, maxMs: 1_000 };
  // Where calls take long, the 16 samples of four latencies must do: nearly all is shed meanwhile.
  const probing = { minMs: 1, minSamples: PROBE_SAMPLES, maxMs: 10_000, maxLatencies: 4 };

  function measure(state: BbrState, window: SampleWindow): BbrState {
    const rate = window.successCost / Math.max(1, window.endMs - window.startMs);
    // A callee that is not made full use of answers less than it could: that says nothing, unless it is more than was
    // known.
    const known = Math.max(0, ...state.rates);
    const counts = rate >= known || (window.limited && state.phase !== "round-trip");
    const rates = counts ? [...state.rates.slice(1 - RATES_KEPT), rate] : state.rates;
    if (Number.isNaN(state.roundTripMs))
      return { ...state, rates, roundTripMs: window.meanMs, roundTripAtMs: window.endMs };
    if (state.roundTripMs <= window.meanMs) return { ...state, rates };
    return { ...state, rates, roundTripMs: state.roundTripMs + TOWARDS * (window.meanMs - state.roundTripMs) };
  }

  function full(state: BbrState): number {
    return Math.max(...state.rates) * state.roundTripMs * (1 + headroom) + 1;
  }

  function cycle(state: BbrState, count: number): BbrState {
    const at = count % GAINS.length;
    return { ...state, phase: "bandwidth", count: at, limit: clamp(full(state) * (GAINS[at] ?? 1)) };
  }

  function startup(state: BbrState, window: SampleWindow): BbrState {
    const rate = Math.max(...state.rates);
    if (!window.limited) return state;
    if (rate > 1.25 * state.fullRate) return { ...state, fullRate: rate, count: 0, limit: clamp(state.limit * 2) };
    if (state.count < 2) return { ...state, count: state.count + 1 };
    return { ...state, phase: "drain", count: 0, limit: clamp(full(state)) };
  }

  function roundTrip(state: BbrState, window: SampleWindow, random: () => number): BbrState {
    if (state.count === 0) {
      const longestMs = Math.max(LONGEST_DRAIN_MS, LONGEST_DRAIN_LATENCIES * window.meanMs);
      const draining = window.maxInflight > state.limit && window.endMs - state.roundTripAtMs < longestMs;
      return { ...state, count: draining ? 0 : 1 };
    }
    const seen = { ...state, roundTripMs: window.meanMs, roundTripAtMs: window.endMs };
    return cycle(seen, 2 + Math.floor(random() * (GAINS.length - 2)));
  }

  function next(before: BbrState, window: SampleWindow, random: () => number): BbrState {
    if (window.samples === 0) return window.overloads > 0 ? { ...before, limit: clamp(before.limit * 0.7) } : before;
    if (before.phase === "round-trip") return roundTrip(before, window, random);
    const state = measure(before, window);
    if (state.phase === "startup") return startup(state, window);
    if (state.phase === "drain") {
      const draining = window.maxInflight > state.limit && state.count < LONGEST_DRAIN;
      return draining ? { ...state, count: state.count + 1 } : cycle(state, 2);
    }
    if (window.endMs - state.roundTripAtMs > Math.max(believeMs, BELIEVED_LATENCIES * state.roundTripMs))
      return {
        ...state,
        phase: "round-trip",
        count: 0,
        roundTripAtMs: window.endMs,
        limit: clamp(Math.min(PROBE_LIMIT, state.limit)),
      };
    return cycle(state, window.limited ? state.count + 1 : 2);
  }

  return {
    name: "bbr",
    window: (state) => (state.phase !== "round-trip" ? WINDOW : state.count === 0 ? draining : probing),
    start: (learned) => ({
      limit: start(learned),
      phase: "startup",
      rates: [],
      roundTripMs: Number.NaN,
      roundTripAtMs: Number.NaN,
      count: 0,
      // What was learned fills the callee: it is not doubled.
      fullRate: learned === undefined ? 0 : Number.POSITIVE_INFINITY,
    }),
    next,
  };
}
