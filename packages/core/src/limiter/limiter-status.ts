import type { CallCounts } from "../internal/tally.ts";

/** The kinds of limiters. Kind and name together identify a limiter. */
export type LimiterKind =
  | "throttle"
  | "semaphore"
  | "pacer"
  | "budget"
  | "keyed"
  | "concurrency"
  | "adaptiveRate"
  | "adaptiveThrottle"
  | "guard";

/** What the status of every limiter has: the limiter at one instant, as data. */
export interface LimiterStatus {
  /** The limiter's kind. */
  readonly kind: LimiterKind;
  /** The limiter's name. */
  readonly name: string;
  /** Where it is between its start and its end. */
  readonly state: string;
  /** Callers that wait. */
  readonly waiting: number;
  /** The most callers that may wait at once; undefined where there is no such bound. */
  readonly maxWaiters: number | undefined;
  /**
   * True where the limit made a call wait, or refused one, within the last 30 s. More processes would not help: the
   * limit is used up. A wait for the start, or for a store that is away, does not count.
   */
  readonly limiting: boolean;
  /** The calls of this process, counted since the limiter was made. */
  readonly calls: CallCounts;
}
