/** Which bucket. */
export interface BucketRef {
  /** The keyed limit's name; 1 to 1,024 bytes. */
  readonly name: string;
  /** The key, such as a tenant; 1 to 1,024 bytes. Equal keys of two limits have two buckets. */
  readonly key: string;
}

/** The limit of one key. */
export interface BucketLimit {
  /** Units that come back in `windowMs`, evenly; > 0. */
  readonly max: number;
  /** The time in which they come back, in milliseconds; >= 1. */
  readonly windowMs: number;
  /** Units that a full bucket has, so that they may be spent at once; >= 1. */
  readonly burst: number;
  /** Calls in flight; a whole number >= 1. Absent: any number. */
  readonly concurrent?: number;
}
