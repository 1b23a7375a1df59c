import type { LimitRecordHead } from "../limits/limit-row.ts";

/** What a key's row copies of its limit record (L4). */
export interface PermitCopy {
  readonly revision: number;
  readonly values: { readonly everyMs: number; readonly burst: number };
}

/** A key's row. */
export interface PermitRow {
  /** Theoretical arrival time: when the next permit is due if nothing is idle, on the key's time. */
  tatMs: number;
  /** The key's time at the last operation. */
  lastMs: number;
  /** What is added to the store's clock so that the key's time never goes back. */
  offsetMs: number;
  /** The terms of its users (P10), and those that they took the place of; absent where no request had any. */
  terms?: string | undefined;
  formerTerms?: string | undefined;
  /** No instant lies before this, on the key's time (P15); absent where there never was a pause. */
  pausedUntilMs?: number | undefined;
  /** The copy of the key's limit (P16); absent where no request had `stored`. */
  stored?: PermitCopy | undefined;
  /** Up to when instants are reserved ahead, with their distance, on the key's time; absent without a copy. */
  aheadUntilMs?: number | undefined;
}

/** A reservation that is still known. */
export interface PermitEntry {
  readonly id: string;
  readonly granted: number;
  readonly firstMs: number;
  readonly stepMs: number;
  readonly earliestMs: number;
  /**
   * The theoretical arrival time before this reservation; undefined when it took an instant that had been given back.
   */
  readonly tatBeforeMs: number | undefined;
  /** The key's time after which the entry may be forgotten. */
  readonly forgetAtMs: number;
}

/**
 * An instant that was given back, and the distance it keeps to the next: milliseconds, so that it means the same to
 * requests with another `everyMs`.
 */
export interface FreedInstant {
  readonly atMs: number;
  readonly widthMs: number;
}

/**
 * What the permit arithmetic needs of one key's storage, inside one transaction. Rows are values: a changed row takes
 * effect by `put`.
 */
export interface PermitTable {
  row(): PermitRow | undefined;
  putRow(row: PermitRow): void;
  entry(id: string): PermitEntry | undefined;
  putEntry(entry: PermitEntry): void;
  /** Forgets entries with `forgetAtMs <= nowMs`. */
  forgetEntries(nowMs: number): void;
  /**
   * The earliest instant given back with `atMs >= fromMs` and at least this width, taken out; forgets those before
   * `fromMs`.
   */
  takeFreed(fromMs: number, widthMs: number): FreedInstant | undefined;
  addFreed(instant: FreedInstant): void;
  /**
   * How many are in the queue before this id (all, if it is not in the queue itself); forgets those whose time is over.
   */
  aheadInQueue(id: string, nowMs: number): number;
  /** Puts an id in the queue (at its end, if it is not in the queue already) until `untilMs`. */
  enqueue(id: string, untilMs: number): void;
  leaveQueue(id: string): void;
  /**
   * The key's limit record. Asked for by requests with `stored`. Absent where the store keeps no stored limits: such
   * requests go by the code's value then.
   * @throws DtError `DT_STORE_DATA` where it is damaged
   */
  limit?(): LimitRecordHead | undefined;
}

/** What a reset (P12) needs besides. */
export interface ResettablePermitTable extends PermitTable {
  /**
   * Forgets the queue, the instants given back and the reservations whose last instant is after `untilMs`. Answers the
   * latest instant of those that are left, with the smallest distance of any of them; undefined when none is left.
   */
  forgetAfter(untilMs: number): FreedInstant | undefined;
}

/** What of a key counts at a time (P13). */
export interface PermitCounts {
  /** Reservations with `forgetAtMs > nowMs`. */
  readonly known: number;
  /** Instants given back with `atMs >= fromMs`. */
  readonly freed: number;
  /** Places in the queue that are held until after `nowMs`. */
  readonly waiting: number;
}

/** What an inspection (P13) needs. It changes nothing. */
export interface InspectablePermitTable {
  row(): PermitRow | undefined;
  /** @param fromMs instants given back count from here on: `nowMs`, or the end of a pause */
  count(nowMs: number, fromMs: number): PermitCounts;
}
