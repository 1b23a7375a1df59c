import type { BucketLimit, BucketRef } from "./bucket.ts";

/** What a bucket holds at one time, for people and tools. */
export interface BucketSnapshot extends BucketRef {
  /** The limit in force; absent where only hits were counted. */
  readonly limit?: BucketLimit;
  /** Units that may be spent now, those that processes hold left out; less than 0 where units are reserved ahead. */
  readonly remaining: number;
  /** The time until the bucket is full again, in milliseconds; 0 where it is. */
  readonly resetMs: number;
  /** Units that processes took and have not spent, as far as they have reported. */
  readonly held: number;
  /** Slots in use. */
  readonly inFlight: number;
  /** Hits of the running window. */
  readonly hits: number;
  /** The time until that window ends, in milliseconds; 0 where none runs. */
  readonly hitsResetMs: number;
  /** The store's time, in milliseconds. */
  readonly storeTimeMs: number;
}
