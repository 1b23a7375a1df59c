import type {
  AdaptiveThrottle,
  AdaptiveThrottleOptions,
  ConcurrencyLimit,
  Guard,
  RetryBudgetOptions,
  Rule,
} from "@dt/adaptive";
import type { Duration, Pacer, Runtime, Semaphore, Throttle } from "@dt/core";
import type { RecordTracker } from "./checkpoint/record-tracker.ts";
import type { Output } from "./sinks/sink.ts";

/** What becomes of a record that we refuse ourselves. */
export type Rejected =
  /** It ends as throttled. */
  | "dead-letter"
  /** It ends nowhere; the status counts it. */
  | "drop"
  /** It is tried again as the retry budget allows, then it ends as throttled. */
  | "retry"
  | { readonly retry: Omit<RetryBudgetOptions, "classify" | "runtime"> };

/** Anything that records come from: a Node Readable and a Web ReadableStream are async iterables. */
export type Source<Input> = AsyncIterable<Input> | Iterable<Input>;

/** The context of a record's call. */
export interface CallContext {
  /** The how manyeth record of the source it is, from 0. */
  readonly index: number;
  /** 0, and one more each time that a record is tried again. */
  readonly attempt: number;
  /**
   * Aborted when the run was ended and `drainTimeout` has passed, and when the call's slot of the `semaphore` is lost
   * or overdue.
   */
  readonly signal: AbortSignal;
}

/** What is called for each record. */
export type CallFor<Input, Result> = (input: Input, context: CallContext) => Result | PromiseLike<Result>;

/** Options of {@link throttled}. Durations are milliseconds or strings such as `"60s"`. */
export interface PipelineOptions<Input = unknown, Result = unknown> {
  /**
   * Takes the records whose call was answered.
   * @default they are only counted
   */
  readonly success?: Output<Input, Result>;
  /**
   * Takes the records that were refused, by us or by the callee.
   * @default they are only counted
   */
  readonly throttled?: Output<Input, Result>;
  /**
   * Takes the records that failed for another reason.
   * @default they are only counted
   */
  readonly error?: Output<Input, Result>;

  /**
   * How many calls all processes together may begin in an interval. The program that made the parts stops them.
   * @default none
   */
  readonly throttle?: Throttle;
  /**
   * The distance between calls of all processes.
   * @default none
   */
  readonly pacer?: Pacer;
  /**
   * How many calls may be in flight, as far as the callee can take them.
   * @default none
   */
  readonly limit?: ConcurrencyLimit;
  /**
   * How many calls all processes together may have in flight. A call takes as many slots as its `cost`, 1 by default.
   * @default none
   */
  readonly semaphore?: Semaphore;
  /**
   * Refuses calls that the callee would probably refuse: options with which each group gets counters of its own, an
   * adaptive throttle that all groups share, or false.
   * @default `{ k: 2, reset: "1m" }`, the Beam design's; with a `guard` its own
   */
  readonly rejection?: Omit<AdaptiveThrottleOptions, "runtime"> | AdaptiveThrottle | false;
  /**
   * No pause that the callee asks for (`Retry-After`, or a limit with nothing left) lasts longer.
   * @default 60 s
   */
  readonly maxPause?: Duration;
  /**
   * How long no call is made after a refusal without a readable time, longer each time in a row. There is no such pause
   * while other calls succeed, nor with a `rejection`.
   * @default 1 s; 0 for no such pause
   */
  readonly refusalPause?: Duration;
  /**
   * A guard that others use as well, instead of `throttle`, `pacer`, `limit`, `semaphore`, `maxPause` and
   * `refusalPause`.
   * @default none
   */
  readonly guard?: Guard;

  /**
   * Most records whose call is under way, or whose ending is being written.
   * @default 16; 256 with a `limit` or a `semaphore`
   */
  readonly concurrency?: number;
  /**
   * A number of groups among which records are dealt at random, or a function of a record that gives its group.
   * @default 1: calls of one group are made in parallel, and it learns from all answers
   */
  readonly groups?: number | ((input: Input) => unknown);
  /**
   * Records of a group wait, and go on together after so long.
   * @default they go on at once
   */
  readonly interval?: Duration;
  /**
   * Records with the same answer go one after another, in the order they came: the next begins when the ending of the
   * one before was taken.
   * @default no order
   */
  readonly order?: (input: Input) => unknown;
  /**
   * Most records that were read and not begun. The source is read no further meanwhile.
   * @default `concurrency`; at least 1,000 with `interval` or `order`
   */
  readonly buffer?: number;

  /**
   * What becomes of a record that we refuse ourselves.
   * @default `"dead-letter"`
   */
  readonly rejected?: Rejected;
  /**
   * What a call costs the throttle, the pacer, the limit and the semaphore, > 0. A record that is a batch may cost as
   * much as it has items.
   * @default 1
   */
  readonly cost?: (input: Input) => number;
  /**
   * The meaning of a call's end: a classifier, or a single rule.
   * @default `classify`
   */
  readonly classify?: Rule;
  /**
   * The reason why a record cannot be called at all: it ends as an error with this text, and without a call.
   * @default none
   */
  readonly refuse?: (input: Input) => string | undefined;

  /**
   * Receives which records have ended.
   * @default none
   */
  readonly checkpoint?: RecordTracker;
  /**
   * Aborting it ends the run in order: nothing more is read or begun, calls under way end and are written.
   * @default none
   */
  readonly signal?: AbortSignal;
  /**
   * How long calls under way have to end after that.
   * @default 25 s
   */
  readonly drainTimeout?: Duration;
  /**
   * How long the store of a throttle, a pacer or a semaphore may fail, without an answer between, before the run ends
   * with its error.
   * @default 60 s
   */
  readonly patience?: Duration;
  /**
   * Where time, timers and chance come from.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}
