import { type DtErrorCode, isDtError } from "../errors/dt-error.ts";
import type { Topic } from "./events.ts";

/**
 * How a call came out.
 * - `granted`: it may go on.
 * - `refused`: not now (`DT_LIMITED`, an answer of no), or too many callers wait (`DT_QUEUE_FULL`).
 * - `timedOut`: its time was up (`DT_TIMEOUT`).
 * - `canceled`: its signal was aborted, or the limiter was stopped.
 * - `storeError`: the limiter's store failed.
 */
export type CallResult = "granted" | "refused" | "timedOut" | "canceled" | "storeError";

/** The calls of a limiter in this process, counted since it was made. */
export interface CallCounts {
  /** Calls that were granted. */
  readonly granted: number;
  /** Of them those that waited first. */
  readonly waited: number;
  /** Calls that were refused: answers of no, `DT_LIMITED` and `DT_QUEUE_FULL`. */
  readonly refused: number;
  /** Calls whose time was up. */
  readonly timedOut: number;
  /** Calls whose signal was aborted, and those that waited when the limiter was stopped. */
  readonly canceled: number;
  /** Calls that failed with an error of the store. */
  readonly storeError: number;
}

/** A call that waited, or did not get its right: how it came out. */
export interface DecidedCall<Cost = number> {
  /** How it came out. */
  readonly result: CallResult;
  /** How long it had waited, in milliseconds. */
  readonly waitedMs: number;
  /** The cost of the call. */
  readonly cost: Cost;
  /** Its priority, -9 to 9. */
  readonly priority: number;
}

/** A limiter is called limiting for so long after a call was limited, in milliseconds. */
export const LIMITING_MS = 30_000;

/**
 * Counts the calls of one limiter as plain numbers, which metrics read now and then. A grant at once costs one
 * addition.
 */
export class Tally<Cost = number> {
  /** Calls that were granted. On a hot path the limiter counts here by itself. */
  granted = 0;
  /** The cost of what was granted, where it is one number; the limiter counts here by itself. */
  units = 0;
  #waited = 0;
  #refused = 0;
  #timedOut = 0;
  #canceled = 0;
  #storeError = 0;
  #limitedMs = Number.NEGATIVE_INFINITY;
  readonly #decided: Topic<DecidedCall<Cost>> | undefined;

  /**
   * @param decided hears of every call that waited or was refused; answers of no to `tryAcquire` left out. Without it
   *   the limiter reports them by itself
   */
  constructor(decided?: Topic<DecidedCall<Cost>>) {
    this.#decided = decided;
  }

  /**
   * The limit made a call wait, or refused it. What waits for a start, or for a store that is away, is not limited.
   * @param nowMs the runtime's time
   */
  limited(nowMs: number): void {
    this.#limitedMs = nowMs;
  }

  /** `tryAcquire` answered no. */
  answeredNo(): void {
    this.#refused += 1;
  }

  /** A call that waited, or was refused, has come out. */
  decided(result: CallResult, waitedMs: number, cost: Cost, priority: number): void {
    this.count(result);
    if (this.#decided?.observed) this.#decided.emit({ result, waitedMs, cost, priority });
  }

  /** Counts one that waited, or was refused. */
  count(result: CallResult): void {
    if (result === "granted") {
      this.granted += 1;
      this.#waited += 1;
    } else if (result === "refused") this.#refused += 1;
    else if (result === "timedOut") this.#timedOut += 1;
    else if (result === "canceled") this.#canceled += 1;
    else this.#storeError += 1;
  }

  /**
   * A call has come out with this error.
   * @param signal the call's own: its reason says that the call was canceled
   */
  failed(error: unknown, signal: AbortSignal | undefined, waitedMs: number, cost: Cost, priority: number): void {
    this.decided(resultOf(error, signal), waitedMs, cost, priority);
  }

  /** The counts at this instant. */
  counts(): CallCounts {
    return {
      granted: this.granted,
      waited: this.#waited,
      refused: this.#refused,
      timedOut: this.#timedOut,
      canceled: this.#canceled,
      storeError: this.#storeError,
    };
  }

  /** True where a call was limited within the last 30 s. */
  isLimiting(nowMs: number): boolean {
    return nowMs - this.#limitedMs < LIMITING_MS;
  }
}

const RESULTS: Partial<Record<DtErrorCode, CallResult>> = {
  DT_LIMITED: "refused",
  DT_QUEUE_FULL: "refused",
  DT_TIMEOUT: "timedOut",
  DT_STOPPED: "canceled",
  DT_MEMBER_FENCED: "canceled",
};

/**
 * How a call came out that rejects with this error.
 * @param signal the call's own: its reason says that the call was canceled
 */
export function resultOf(error: unknown, signal?: AbortSignal): CallResult {
  if (signal?.aborted && signal.reason === error) return "canceled";
  return (isDtError(error) && RESULTS[error.code]) || "storeError";
}
