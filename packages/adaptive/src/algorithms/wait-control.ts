import { type Duration, option, type Settings } from "@dt/core/internal";
import type { LimitState, SampleWindow } from "./algorithm.ts";
import { type CheckedBounds, ranged } from "./bounds.ts";
import { afterCut, type Drain, drained, isDraining, NO_DRAIN } from "./drain.ts";
import { type Idleness, isIdleAtTimes, NO_REPORTS, seeIdleness } from "./idleness.ts";

/** Options of algorithms that hold the wait at the callee at a target. */
export interface WaitOptions {
  /**
   * The wait that is aimed at, as a part of the time that the callee works on a call.
   * @default 0.25
   */
  readonly target?: number;
  /**
   * But at least this.
   * @default "5ms"
   */
  readonly least?: Duration;
}

/** The options of a control. */
export const WAIT: { readonly target: option.Option<number>; readonly least: option.Option<number, "Ms"> } = {
  target: ranged(0.001, 100).or(0.25),
  least: option.duration(0.001).or("5ms"),
};

/** What such an algorithm knows. */
export interface WaitState extends LimitState {
  /** True while the limit grows by a quarter at a time. */
  readonly slowStart: boolean;
  /** When the queue at the callee was last let run dry. */
  readonly drain: Drain;
  /** How long the limit has not been used. */
  readonly idleness: Idleness;
  /** Windows that began earlier, on the runtime's clock, have calls in them that the last change did not reach. */
  readonly holdUntilMs: number;
  /**
   * The fastest call ever, in milliseconds: mostly the way there and back, which is no work of the callee. Infinite
   * before the first.
   */
  readonly nearMs: number;
  /** How many calls ended since the last cut, and how many of them with overload; older ones count half. */
  readonly ended: number;
  /** Windows in a row with overload. */
  readonly overloads: number;
  /** Windows in a row in which hardly anything waited although the limit was reached. */
  readonly empty: number;
}

/** What a window says: nothing yet, that calls are refused, that they wait more than aimed at, or that they do not. */
export type Finding = "nothing" | "overload" | "above" | "below";

/**
 * The part of calls that may be refused by the callee or time out before the limit is cut for it, and how many at
 * least: one in ten may be chance.
 */
const FEW_OVERLOADS = 0.02;
const LEAST_OVERLOADS = 3;
/** After so many calls the count is halved. */
const COUNTED = 100;
const AFTER_OVERLOAD = 0.8;
/**
 * The deepest cut in one step. Half, as in TCP: equal clients come to equal shares by it, and the less the cut, the
 * longer that takes.
 */
const DEEPEST_CUT = 0.5;
/** Where the callee was found idle half as often as would keep the limit, one call less is the deepest cut. */
const GENTLY = 0.5;
const SLOW_START = 1.25;
/**
 * One more in so much time, not in every window: who sends fewer and larger calls has longer windows, and would get a
 * smaller share. Where calls take longer, one more in the time of a call: what a step brings is seen no sooner.
 */
const STEP_MS = 150;
/** After so many windows in a row without a queue there is far more room than single steps would find soon. */
const EMPTY_WINDOWS = 5;
const EMPTY_PART = 0.25;

/**
 * Keeps a wait near an aim by changing the limit: a step up while calls wait less, a cut in proportion while they wait
 * more, and after each cut nothing until its effect can be seen. Where the wait comes from is not its business: the
 * callee reports it, or it is estimated.
 */
export class WaitControl {
  readonly #bounds: CheckedBounds;
  readonly #target: number;
  readonly #leastMs: number;

  constructor(bounds: CheckedBounds, { target, leastMs }: Settings<WaitOptions>) {
    this.#bounds = bounds;
    this.#target = target;
    this.#leastMs = leastMs;
  }

  start(learned?: number): WaitState {
    return {
      limit: this.#bounds.start(learned),
      // What was learned is about right: there is little room to look for.
      slowStart: learned === undefined,
      drain: NO_DRAIN,
      idleness: NO_REPORTS,
      holdUntilMs: 0,
      nearMs: Number.POSITIVE_INFINITY,
      ended: 0,
      overloads: 0,
      empty: 0,
    };
  }

  /**
   * The wait that is aimed at. Who is far away must not aim at more than who is near, or it would take the larger
   * share.
   */
  aimMs({ nearMs }: WaitState, window: SampleWindow, waitMs: number): number {
    return Math.max(this.#leastMs, this.#target * (window.meanMs - waitMs - nearMs));
  }

  find(state: WaitState, window: SampleWindow, waitMs: number): Finding {
    if (isDraining(state.drain) || window.startMs < state.holdUntilMs) return "nothing";
    if (state.overloads >= LEAST_OVERLOADS && state.overloads > FEW_OVERLOADS * state.ended) return "overload";
    if (window.samples === 0) return "nothing";
    if (waitMs <= this.aimMs(state, window, waitMs)) return "below";
    return window.reports > 0 && isIdleAtTimes(state.idleness, window) ? "below" : "above";
  }

  /** Whether calls wait: `"none"` only after several windows in a row in which hardly anything did. */
  queue(state: WaitState, window: SampleWindow, waitMs: number): "some" | "none" | "unknown" {
    if (window.samples === 0) return "unknown";
    if (waitMs >= EMPTY_PART * this.aimMs(state, window, waitMs)) return "some";
    return state.empty >= EMPTY_WINDOWS ? "none" : "unknown";
  }

  /**
   * What a window adds to what is known, before anything is concluded. Once what was let through before a cut is down,
   * the calls that come back next still waited behind it: one latency more.
   */
  see<State extends WaitState>(before: State, window: SampleWindow): State {
    const state = window.samples > 0 ? { ...before, nearMs: Math.min(before.nearMs, window.minMs) } : before;
    const drain = drained(state.drain, state.limit, window);
    if (isDraining(state.drain)) return { ...state, drain, holdUntilMs: window.startMs + drain.latencyMs };
    if (window.startMs < state.holdUntilMs) return { ...state, drain };
    const kept = state.ended > COUNTED ? 0.5 : 1;
    const ended = kept * state.ended + window.samples + window.overloads;
    const idleness = seeIdleness(state.idleness, window);
    return { ...state, drain, idleness, ended, overloads: kept * state.overloads + window.overloads };
  }

  /** The next state by what was found; `most` is a bound for growth alone. */
  follow<State extends WaitState>(
    state: State,
    finding: Finding,
    window: SampleWindow,
    waitMs: number,
    most: number,
  ): State {
    if (finding === "nothing") return state;
    if (finding === "overload") return this.cutTo(state, state.limit * AFTER_OVERLOAD, window);
    const aimMs = this.aimMs(state, window, waitMs);
    if (finding === "above") {
      const part = 1 - (DEEPEST_CUT * (waitMs - aimMs)) / waitMs;
      const gently = window.reports > 0 && isIdleAtTimes(state.idleness, window, GENTLY);
      return this.cutTo(state, gently ? Math.max(state.limit - 1, state.limit * part) : state.limit * part, window);
    }
    // A limit that nobody met was not tested, so nothing was learned.
    return window.limited ? this.#grow(state, window, waitMs < EMPTY_PART * aimMs, most) : state;
  }

  cutTo<State extends WaitState>(state: State, limit: number, window: SampleWindow): State {
    const cut = { slowStart: false, drain: afterCut(state.drain, window), ended: 0, overloads: 0, empty: 0 };
    return { ...state, ...cut, limit: this.#bounds.clamp(limit) };
  }

  #grow<State extends WaitState>(state: State, window: SampleWindow, isEmpty: boolean, most: number): State {
    const empty = isEmpty ? state.empty + 1 : 0;
    const slowStart = state.slowStart || empty >= EMPTY_WINDOWS;
    const quarter = state.limit * (SLOW_START - 1);
    const step = slowStart
      ? quarter
      : Math.min(Math.max(1, quarter), (window.endMs - window.startMs) / Math.max(STEP_MS, window.meanMs));
    const grown = state.limit + step;
    const limit = this.#bounds.clamp(Math.min(grown, Math.max(state.limit, most)));
    // Steps of a quarter outrun what they cause, unless each waits for the calls of the one before.
    return { ...state, limit, slowStart, empty, holdUntilMs: slowStart ? window.endMs + window.meanMs : 0 };
  }
}
