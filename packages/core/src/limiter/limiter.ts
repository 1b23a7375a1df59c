import type { DrainOptions } from "../internal/drain.ts";
import type { AcquireOptions } from "./acquire-options.ts";
import type { LimiterStatus } from "./limiter-status.ts";
import type { Run, WhenLimited } from "./run.ts";
import type { Wrap } from "./wrap.ts";

/**
 * A limiter that never waits: a call is made at once or not at all.
 *
 * @typeParam Now what `tryAcquire` answers: a boolean, or the right or undefined, or a promise of these
 * @typeParam Right what a call gets that may go on; void where there is nothing to give back or to report
 * @typeParam Cost what a call costs: a number, or an object of several costs
 * @typeParam Options how one call is admitted
 * @typeParam When the values of `whenLimited` that it takes
 */
export interface ImmediateLimiter<
  Now,
  Right,
  Cost = number,
  Options extends object = AcquireOptions,
  When extends WhenLimited = WhenLimited,
> {
  /** The limiter's name. Kind and name together identify a limiter. */
  readonly name: string;
  /**
   * All of `cost` now, or nothing. Does not wait.
   * @param cost what the call costs; 1 unless it is given
   * @throws DtError `DT_INVALID_COST`, `DT_STOPPED`
   */
  tryAcquire(cost?: Cost): Now;
  /** Makes one call once it is admitted, and hands it the right. */
  readonly run: Run<Right, Cost, Options, When>;
  /** Turns a function into one that makes each of its calls as `run` does. */
  readonly wrap: Wrap<Cost, Options, When>;
  /** The limiter at this instant, as data. Changes nothing. */
  status(): LimiterStatus;
  /**
   * Listens to an event; returns the function that ends it.
   * @param event the event's name
   * @param listener the function that receives the event's data
   */
  on(event: never, listener: never): () => void;
  /**
   * Ends in order: refuses new calls, finishes those that wait or run, and stops.
   * @param options how long that may take
   */
  drain(options?: DrainOptions): Promise<boolean>;
  /** Ends at once: calls that wait are refused with `DT_STOPPED`. Never rejects; may be called again. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The one shape of every limiter that lets calls wait: docs/limiters.md has a table of all. The type parameters are
 * those of {@link ImmediateLimiter}.
 */
export interface Limiter<
  Now,
  Right,
  Cost = number,
  Options extends AcquireOptions = AcquireOptions,
  When extends WhenLimited = WhenLimited,
> extends ImmediateLimiter<Now, Right, Cost, Options, When> {
  /**
   * Waits for all of `cost`, 1 by default. Starts the limiter where it has to be started.
   * @param cost what the call costs; 1 unless it is given
   * @param options how the call waits
   * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`, `DT_TIMEOUT` with `retryAfterMs` where it is known,
   *   `DT_QUEUE_FULL`, `DT_STOPPED`; the signal's reason; what the limiter's store rejects with
   */
  acquire(cost?: Cost, options?: Options): Promise<Right>;
}
