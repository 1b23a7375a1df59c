import { settingsOf, type TableOf } from "@dt/core/internal";
import { type LimitAlgorithm, type SampleWindow, WINDOW } from "./algorithm.ts";
import { BOUNDS, boundsOf, type LimitBounds } from "./bounds.ts";
import { boundsByKnee, confirmKnee, type Knee, NO_KNEE, seeKnee } from "./knee.ts";
import { type Floor, lowMs, NO_FLOOR, riseMs, see, steppedBack } from "./latency-floor.ts";
import { WAIT, WaitControl, type WaitOptions, type WaitState } from "./wait-control.ts";

/** Options of {@link automatic}. */
export interface AutomaticOptions extends LimitBounds, WaitOptions {}

/** What {@link automatic} knows. */
export interface AutomaticState extends WaitState {
  /** The shortest latencies lately. */
  readonly floor: Floor;
  /** Where more calls in flight brought no higher rate. */
  readonly knee: Knee;
  /** Whether the callee reported waits in the last window. */
  readonly reported: boolean;
}

const TABLE = { ...BOUNDS, ...WAIT } satisfies TableOf<AutomaticOptions>;

/**
 * How much of the aim is left to be the wait when a new base is learned: were all of it, the limit could only fall;
 * were nothing, the base could climb on a queue.
 */
const KEPT_WAIT = 0.8;

/**
 * The default. Where the callee reports how long calls waited (`CalleeReport.queueWaitMs`), the limit follows that, as
 * in `queueWait`. Elsewhere the wait is estimated: by how far the fastest calls are above where they once were. When
 * stepping back does not bring them down, the callee has become slower, and the limit is given back. In both cases the
 * limit stays near the point from which on more in flight brought no more answers.
 * @param options bounds
 * @throws DtError `DT_INVALID_OPTION`
 * @example const limit = createConcurrencyLimit({ algorithm: automatic({ max: 200 }) });
 */
export function automatic(options: AutomaticOptions = {}): LimitAlgorithm<AutomaticState> {
  const settings = settingsOf(TABLE, options);
  const bounds = boundsOf(settings);
  const control = new WaitControl(bounds, settings);
  // A window of few calls says little of the fastest, and one of many is slow to react. A client that calls once a
  // second looks every ten seconds.
  const withoutReports = { minMs: 100, minSamples: 12, maxMs: 10_000, maxLatencies: 12 };

  /** The base that makes most of the aim of what is seen now, if that is higher than the present one. */
  function learnBase(state: AutomaticState, low: number, window: SampleWindow): AutomaticState {
    const { floor } = state;
    const waitMs = KEPT_WAIT * control.aimMs(state, window, KEPT_WAIT * control.aimMs(state, window, 0));
    const limit = bounds.clamp(floor.from?.limit ?? state.limit);
    return { ...state, limit, floor: { ...floor, baseMs: low - waitMs, calmMs: floor.spreadMs, from: undefined } };
  }

  function above(state: AutomaticState, window: SampleWindow, low: number, waitMs: number): AutomaticState {
    const { floor, limit } = state;
    const found = steppedBack(floor, limit, low, window);
    if (found === "slower") {
      const learned = learnBase(state, low, window);
      if (learned.floor.baseMs > floor.baseMs) return learned;
    }
    const from = floor.from === undefined || found !== "unknown" ? { limit, floorMs: window.floorMs } : floor.from;
    return control.follow({ ...state, floor: { ...floor, from } }, "above", window, waitMs, Number.POSITIVE_INFINITY);
  }

  function next(before: AutomaticState, window: SampleWindow, random: () => number): AutomaticState {
    const low = lowMs(before.floor, window);
    const reported = window.reports > 0;
    const floor = see(before.floor, window);
    const waitMs = reported ? window.queueWaitMs : riseMs(floor, low, window.meanMs, control.aimMs(before, window, 0));
    const found = seeKnee(before.knee, before.limit, window, random);
    // A reported queue begins only where all servers are busy, and a callee in contention has its knee below that.
    const knee = confirmKnee(before.knee, found, reported ? "unknown" : control.queue(before, window, waitMs));
    const seen: AutomaticState = { ...before, knee, reported, floor };
    const { most, mostGrowth } = boundsByKnee(knee, window.endMs);
    if (seen.limit > most) return control.cutTo(seen, most, window);
    const state = control.see(seen, window);
    const finding = control.find(state, window, waitMs);
    if (finding === "above" && !reported) return above(state, window, low, waitMs);
    const calm = finding === "below" ? { ...state, floor: { ...state.floor, from: undefined } } : state;
    return control.follow(calm, finding, window, waitMs, mostGrowth);
  }

  return {
    name: "automatic",
    window: (state) => (state.reported ? WINDOW : withoutReports),
    start: (learned) => ({ ...control.start(learned), floor: NO_FLOOR, knee: NO_KNEE, reported: false }),
    next,
  };
}
