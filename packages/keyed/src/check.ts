import type { AcquireOptions, BucketLimit, DtError, Slot } from "@dt/core";

/**
 * What refuses a call: its key's rate or calls in flight, a limit above it, callers that wait, or a store that is away.
 */
export type LimitedBy = "rate" | "concurrent" | "parent" | "waiting" | "store";

/** What `check` answers. */
export interface Check {
  /** Whether the call may go on. Its cost is taken then. */
  readonly allowed: boolean;
  /** The key's limit in force. */
  readonly limit: BucketLimit;
  /** Whole units that are left, those that other processes have in hand left out. */
  readonly remaining: number;
  /** The time until all units are back, in milliseconds. */
  readonly resetMs: number;
  /** The time after which it is worth asking again, in milliseconds; 0 where the call may go on. */
  readonly retryAfterMs: number;
  /** What refused the call; undefined where it may go on. With `enforce: false`, what would have refused it. */
  readonly limitedBy: LimitedBy | undefined;
  /** The call's slot, where its limit has `concurrent`: release it when the call has ended. */
  readonly slot: Slot | undefined;
  /** Why the store could not be asked, where `whenStoreLost` decided. */
  readonly storeError: DtError | undefined;
}

/** What `peek` answers: how a key stands. */
export type Peek = Pick<Check, "limit" | "remaining" | "resetMs"> & {
  /** Calls in flight, where the limit has `concurrent`. */
  readonly inFlight: number;
};

/** A limit above the keys of another one: a `KeyedLimiter` is one. */
export interface Parent {
  /**
   * Takes a cost where that is allowed now.
   * @param cost units
   */
  check(cost?: number): Promise<Check>;
  /**
   * Waits until a cost may be spent.
   * @param cost units
   * @param options how the call waits
   */
  acquire(cost?: number, options?: AcquireOptions): Promise<Slot>;
  /** Whether it makes calls wait: then the limits below it are limiting, too. */
  status?(): { readonly limiting: boolean };
}
