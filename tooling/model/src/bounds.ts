/** What bounds an exploration. Times are in ticks, of which an epoch has two. */
export interface Bounds {
  /** Processes that may join. */
  readonly members: number;
  /** Of these, so many share by demand (R21 to R25), the others evenly. They want, and give up, anything. */
  readonly demand: number;
  /** Tokens of an epoch. */
  readonly max: number;
  /** How long the world runs; 0 = for ever (every run of any length). */
  readonly ticks: number;
  /** How long a share may be used, counted from the tick in which the last successful call was sent. */
  readonly validity: number;
  /** Silence after which the store removes a member. The timing assumption is `stale >= validity`. */
  readonly stale: number;
  /** Ticks within which an answer must come to be acted on. */
  readonly deadline: number;
  /** Messages, in a whole run, that are lost or take longer than a tick. */
  readonly faults: number;
  /** Requests, in a whole run, that arrive when their sender has given them up (at any time later), or twice. */
  readonly late: number;
  /** Times, in a whole run, that the store loses all its data. */
  readonly losses: number;
  /** Times, in a whole run, that a member changes its `max` (between `max` and one token less). */
  readonly resizes: number;
  /** Ticks that a new group learns, when `losses` is above 0. */
  readonly learning: number;
  /** The store knows since when it has its data: a group that begins long after a loss does not learn. */
  readonly agedData: boolean;
  /**
   * With the rule that a quiet stretch counts as at most a quarter of the stale age (R2); without it members go stale
   * sooner.
   */
  readonly quietRule: boolean;
  /**
   * Where runs begin: with an empty group, with all members in agreement, or both. Always empty where somebody shares
   * by demand: then there is no agreement.
   */
  readonly from: "empty" | "agreed" | "both";
  /**
   * Callers do not always take what they may as soon as they may: they look at their clock and take all that there is
   * at any time, or never.
   */
  readonly idle: boolean;
  /** Every interleaving is walked, also those that differ only in the order of what does not touch. */
  readonly naive: boolean;
}

export const DEFAULT_BOUNDS: Bounds = {
  members: 3,
  demand: 0,
  max: 4,
  ticks: 0,
  validity: 2,
  stale: 2,
  deadline: 1,
  faults: 0,
  late: 0,
  losses: 0,
  resizes: 0,
  learning: 2,
  agedData: false,
  quietRule: false,
  from: "both",
  idle: false,
  naive: false,
};
