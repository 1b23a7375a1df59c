/**
 * Measurements of one window of calls. Times are in milliseconds. Costs are in the units in which calls are weighed: 1
 * for each call, unless the caller gives another cost.
 */
export interface SampleWindow {
  /** When it began, on the runtime's clock. */
  readonly startMs: number;
  /** When it ended, on the runtime's clock. */
  readonly endMs: number;
  /** Calls that succeeded, and so have a latency. */
  readonly samples: number;
  /** Their cost together. */
  readonly successCost: number;
  /** Latencies of those calls; NaN without samples. */
  readonly minMs: number;
  /**
   * The fastest of the last twelve, counted in groups; with fewer samples the same as `minMs`. More samples do not make
   * it lower. So of two clients that share a callee, the larger one does not see a shorter queue.
   */
  readonly floorMs: number;
  /** Mean latency, in milliseconds. */
  readonly meanMs: number;
  /** Median latency, in milliseconds. */
  readonly medianMs: number;
  /** Latency below which 90 % of the calls were, in milliseconds. */
  readonly p90Ms: number;
  /** Calls that ended with `overload`. */
  readonly overloads: number;
  /** Cost of the calls that ended in overload. */
  readonly overloadCost: number;
  /** The highest cost in flight, as seen when calls were let through. */
  readonly maxInflight: number;
  /** True when some caller had to wait or was refused because of the limit. */
  readonly limited: boolean;
  /** Calls among the samples whose answer reported how long they waited at the callee. */
  readonly reports: number;
  /** The mean time that these calls waited at the callee, in milliseconds; NaN without such calls. */
  readonly queueWaitMs: number;
  /** Of these calls, those that hardly waited: the callee could have begun another one at that moment. */
  readonly unqueued: number;
}

/** What an algorithm knows. It may have more fields; the limit looks at these. */
export interface LimitState {
  /** Cost that may be in flight at once, not rounded. */
  readonly limit: number;
}

/**
 * When a window is long enough to be looked at. Milliseconds alone would suit calls of one length: where calls take
 * longer, the bounds in latencies are the longer ones, and hold. A latency is the mean of the window's successes.
 */
export interface WindowLength {
  /** It lasts at least so long, in milliseconds. */
  readonly minMs: number;
  /** And at least so many latencies. Default 0. */
  readonly minLatencies?: number;
  /** And until it has so many samples. Overloads count here as well. */
  readonly minSamples: number;
  /** But no longer than this, if it has any sample at all; in milliseconds. */
  readonly maxMs: number;
  /** Or than so many latencies, where that is longer. Default 0. */
  readonly maxLatencies?: number;
}

/**
 * How a limit follows from measurements: a pure function of windows. It keeps nothing and reads no clock; `random` is
 * given, from the runtime.
 */
export interface LimitAlgorithm<State extends LimitState = LimitState> {
  /** The algorithm's name, for the status. */
  readonly name: string;
  /**
   * How long its windows are, in this state. A round-trip probe needs shorter ones.
   * @param state the state of the algorithm
   */
  window(state: State): WindowLength;
  /**
   * The state before the first window.
   * @param learned a limit that was learned before, by this process or another: start from it. Undefined without one
   */
  start(learned?: number): State;
  /**
   * The state after a window, and with it the next limit.
   * @param state the state before the window
   * @param window what was measured
   * @param random gives a number in [0, 1)
   */
  next(state: State, window: SampleWindow, random: () => number): State;
}

/**
 * Ten samples, or the samples of ten latencies where a small limit brings fewer in a second. In a shorter window of
 * calls that take 20 s a single one would decide.
 */
export const WINDOW: WindowLength = { minMs: 100, minSamples: 10, maxMs: 1_000, maxLatencies: 10 };

/**
 * The same for algorithms that take a step with every window: what a step brings is seen a latency later, and no more
 * than two are taken until then.
 */
export const STEP_WINDOW: WindowLength = { ...WINDOW, minLatencies: 0.5 };
