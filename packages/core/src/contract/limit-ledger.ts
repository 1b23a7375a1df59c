/**
 * Limits that live in the store: one record for each, apart from the rows that count its use. A request with
 * `stored: true` reads the record, and the row that counts keeps a copy of its values.
 *
 * L1, L2, ... are the rules of docs/store-contract.md of the repository. For every call these hold: operations on a
 * record are atomic (L1), and times are the store's (L3). The call settles within the adapter's deadline, with the
 * errors of R16 (L7).
 */
export interface LimitLedger {
  /**
   * Sets a limit, or removes it, so that the value in the code counts again (L2, L3).
   * @param target whose limit it is
   * @param change the new values, for how long they count, who changes them and why
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_INVALID_OPTION` for values that no limit of this kind has, and the codes of R16
   */
  setLimit(target: LimitTarget, change: LimitChange, signal?: AbortSignal): Promise<LimitRecord>;
  /**
   * The record of a limit: its values and its last changes. Undefined where it was never set. Changes nothing.
   * @param target whose limit it is
   * @param signal ends the call early, with its reason
   * @throws DtError `DT_STORE_DATA` (L6), and the codes of R16
   */
  readLimit(target: LimitTarget, signal?: AbortSignal): Promise<LimitRecord | undefined>;
}

/**
 * What a limit is of: a group of members, a key of permits, a budget, or limits with keys. One of the kind `learned`
 * bounds nothing: a limiter that adapts has found it out, and newcomers start from it.
 */
export type LimitKind = "group" | "permits" | "budget" | "keyed" | "learned";

/** Whose limit it is. */
export interface LimitTarget {
  /** What has the limit. Throttles and semaphores are groups. */
  readonly kind: LimitKind;
  /** Its name in the store: of a group, of a key of permits, of a budget, of what was learned. */
  readonly name: string;
  /** The one key that the limit is for, of a limit with keys. Absent: the limit of all others. */
  readonly key?: string;
}

/**
 * The numbers of a limit by name (L4). A group has `max`. Permits have `everyMs`, and perhaps `burst`. A budget has the
 * `max` of each limit, by the limit's name. A limit with keys has `max`, `windowMs` and `burst`, and perhaps
 * `concurrent`. Numbers that are not named stay the code's. What was learned has a `rate`, in calls a second, a `limit`
 * of what is in flight, or both. Of these, numbers that a change does not name stay as they are.
 */
export type LimitValues = Readonly<Record<string, number>>;

/** The values that count where a limit is used: what its row copied of the record, or of a request (L4). */
export interface StoredCopy {
  /** The state of the record that it was made of (L3): 0 where there was none, negative where no values counted. */
  readonly revision: number;
  /** The values. */
  readonly values: LimitValues;
}

/** A change of a limit. */
export interface LimitChange {
  /** The new values; undefined removes the limit, so that the value in the code counts again. */
  readonly values: LimitValues | undefined;
  /** For how long, in milliseconds of the store's time; absent for good. */
  readonly forMs?: number;
  /** Who changes it: 1 to 256 characters. */
  readonly by: string;
  /** Why, at most 1,000 characters. */
  readonly why?: string;
  /** The values that count now, for the history, where the caller knows them and the record does not. */
  readonly from?: LimitValues;
}

/** What is kept of a limit. */
export interface LimitRecord {
  /** Grows by 1 with each change. */
  readonly revision: number;
  /** The values, also where their time is over; absent where the limit was removed. */
  readonly values?: LimitValues;
  /** Until when it counts, in milliseconds of the store's time; absent for good. */
  readonly untilMs?: number;
  /** True while `values` count; false where they were removed or their time is over. */
  readonly inForce: boolean;
  /** The last 20 changes, the newest first. */
  readonly history: readonly LimitHistoryEntry[];
  /** The store's time when it answered, in milliseconds. */
  readonly storeTimeMs: number;
}

/** One change in the history of a limit. */
export interface LimitHistoryEntry {
  /** When, in milliseconds of the store's time. Of several changes in one entry (L2) the time of the first. */
  readonly atMs: number;
  /** Who changed it. */
  readonly by: string;
  /** What counted before, as far as it was known; absent for the value in the code. */
  readonly from?: LimitValues;
  /** The new values; absent where the limit was removed. */
  readonly to?: LimitValues;
  /** Why. */
  readonly why?: string;
  /** Until when it was to count, in milliseconds of the store's time; absent for good. */
  readonly untilMs?: number;
}
