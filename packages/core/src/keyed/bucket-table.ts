/** The numbers of a limit. */
export interface LimitNumbers {
  max: number;
  windowMs: number;
  burst: number;
  /** 0 where any number of calls is allowed. */
  concurrent: number;
}

/** A bucket's row: one value. Its numbers are those of the limit in force; `max` is 0 where only hits were counted. */
export interface BucketRow extends LimitNumbers {
  /** The bucket's time at the last operation. */
  lastMs: number;
  /** What is added to the store's clock so that the bucket's time never goes back. */
  offsetMs: number;
  /** Units that were taken and have not come back; more than `burst` where units are reserved ahead. */
  used: number;
  /** Hits of the last window, and when it ends. */
  hits: number;
  hitsUntilMs: number;
  /** The limit that the one of before took the place of (K9); absent where it took no other's place. */
  former?: LimitNumbers | undefined;
  /** What processes have in hand. */
  holds: HoldRow[];
  /** Slots in use. */
  slots: BucketSlotRow[];
  /** Absent until a request with `stored` comes. */
  stored?: StoredLimitRow | undefined;
}

/** What one process has in hand. */
export interface HoldRow {
  readonly id: string;
  /** The newest request. */
  seq: number;
  /** All that was spent, as last reported. */
  spent: number;
  /** Units in hand, by the last report and what was taken since. */
  units: number;
  /** When they are spent, whether or not that is reported. */
  untilMs: number;
  /** What the newest request was answered: repeats are answered the same. `busy`: for want of a slot. */
  granted: number;
  firstMs: number;
  waitMs: number;
  busy: boolean;
}

/** A slot in use. */
export interface BucketSlotRow {
  readonly id: string;
  untilMs: number;
}

/** The copy of the limit record (L4). */
export interface StoredLimitRow extends LimitNumbers {
  /** Which state of the record it is of (L3). */
  revision: number;
  /** The limit of the requests without `stored`, and when the last of them came; absent where none came. */
  declared?: LimitNumbers | undefined;
  declaredMs: number;
}

/**
 * What the arithmetic needs of one bucket's storage, inside one transaction. A row is a value: a changed row takes
 * effect by `put`.
 */
export interface BucketTable {
  row(): BucketRow | undefined;
  putRow(row: BucketRow): void;
  /** Forgets the bucket whole, however damaged its row is (K12). */
  forget(): void;
}
