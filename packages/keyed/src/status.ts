import type { BucketLimit, CallCounts, LimiterStatus } from "@dt/core";

/** A keyed limit at one instant, as data: what this process knows of it. */
export interface KeyedStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "keyed";
  /** Where it is between its start and its end. */
  readonly state: "running" | "draining" | "stopping" | "stopped";
  /** Keys that this process keeps something of: those used within about the last two seconds. */
  readonly keys: number;
  /** The most callers of one key that may wait at once. */
  readonly maxWaiters: number;
  /** Calls in flight of this process that hold a slot of `concurrent`. */
  readonly inUse: number;
  /** Calls that were decided. */
  readonly decisions: number;
  /** Of them those that were decided in this process alone, without asking the store. */
  readonly local: number;
  /** With `enforce: false`: calls that went on, and would have been refused or would have waited. */
  readonly wouldRefuse: number;
  /** With `whenStoreLost: "allow"`: calls that went on uncounted. */
  readonly unchecked: number;
  /** Requests about keys. */
  readonly requests: number;
  /** Calls to the store that carried them. Those of other keyed limits of the store may have travelled along. */
  readonly roundTrips: number;
  /** Slots that were lost while their calls ran. */
  readonly slotsLost: number;
  /** Why the last request failed; undefined after a success. */
  readonly lastError: Error | undefined;
}

/** One key at one instant, as data: what this process knows of it. */
export interface KeyedLimiterStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "keyed";
  /** Where it is between its start and its end. */
  readonly state: KeyedStatus["state"];
  /** The calls that came by this limiter of the key, counted since it was made. */
  readonly calls: CallCounts;
  /** True where the key's limit made one of them wait, or refused one, within the last 30 s. */
  readonly limiting: boolean;
  /** The key. */
  readonly key: string;
  /** Callers of this key that wait. */
  readonly waiting: number;
  /** Calls in flight of this process and key that hold a slot of `concurrent`. */
  readonly inUse: number;
  /** Units that this process has in hand, and may spend without asking. */
  readonly inHand: number;
  /** The key's limit, as of the last answer; the code's while there is none. */
  readonly limit: BucketLimit;
}
