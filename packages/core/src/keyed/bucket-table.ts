/** A bucket's row: one value. */
export interface BucketRow {
  /** The bucket's time at the last operation. */
  lastMs: number;
  /** What is added to the store's clock so that the bucket's time never goes back. */
  offsetMs: number;
  /** The limit in force; `max` is 0 where only hits were counted, `concurrent` 0 where any number is allowed. */
  max: number;
  windowMs: number;
  burst: number;
  concurrent: number;
  /** The limit that it took the place of (K9), as the text of its numbers; absent where it took no other's place. */
  former?: string | undefined;
  /** When the bucket is full, if no more is taken. */
  fullMs: number;
  /** Hits of the last window, and when it ends. */
  hits: number;
  hitsUntilMs: number;
  /** What processes have in hand. */
  holds: HoldRow[];
  /** Slots in use. */
  slots: BucketSlotRow[];
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
  /** What the newest request was answered: repeats are answered the same. */
  granted: number;
  firstMs: number;
  waitMs: number;
}

/** A slot in use. */
export interface BucketSlotRow {
  readonly id: string;
  untilMs: number;
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
