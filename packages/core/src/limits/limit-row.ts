/** What a request with `stored` reads of a limit record. */
export interface LimitRecordHead {
  /** Grows by 1 with each change, from 1. */
  readonly revision: number;
  /** The values by name, as JSON: they are read only when they are new. Null where the limit was removed. */
  readonly values: string | null;
  /** The time on the store's clock from which the values count no more; null for never. */
  readonly untilMs: number | null;
}

/** A limit record as a store keeps it. */
export interface LimitRecordRow extends LimitRecordHead {
  /** The changes so far, the newest first, as JSON. */
  readonly history: string;
}

/** A record as a store reads it, before it is checked. */
export type UncheckedLimitRecord = Readonly<Record<keyof LimitRecordRow, unknown>>;
