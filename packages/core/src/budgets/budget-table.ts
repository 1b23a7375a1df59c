import type { StoredCopy } from "../contract/limit-ledger.ts";
import type { LimitRecordHead } from "../limits/limit-row.ts";

/** What is kept of one limit. `slots` ascend, and each has its `units`. */
export interface LimitRow {
  readonly name: string;
  /** As the last request declared them; `max` as it counted for that one (B13). */
  max: number;
  windowMs: number;
  /** Slots that have charges, by number: slot n is the n-th part of a window since time 0. */
  slots: number[];
  /** Units charged in each of them. */
  units: number[];
  /** For each tier, when its next call is due if none is idle: the even pace. */
  paceMs: number[];
  /** The latest instant that was reserved. */
  latestMs: number;
  /** How far the estimates of calls that run are off together, as learned: the mean, and the square of the spread. */
  surplus: number;
  variance: number;
  /** When the two were last brought up to date. */
  learnedMs: number;
}

/** A budget's row: one value. */
export interface BudgetRow {
  /** The budget's time at the last operation. */
  lastMs: number;
  /** What is added to the store's clock so that the budget's time never goes back. */
  offsetMs: number;
  /** No reservation begins before this time. */
  pausedUntilMs: number;
  /** The terms of its users (B9), and those that they took the place of; absent where no request had any. */
  terms?: string | undefined;
  formerTerms?: string | undefined;
  /** The copy of the budget's limits: each `max` by its limit's name (B13). Absent where no request had `stored`. */
  stored?: StoredCopy | undefined;
  /** In the order in which they were first declared. */
  limits: LimitRow[];
}

/** A lease: a cost that is reserved and not settled. */
export interface LeaseRow {
  readonly id: string;
  readonly atMs: number;
  readonly tier: number;
  /** The wait that was answered, and what caused it: the limit's place in the row, -1 for a pause, -2 for nothing. */
  readonly waitMs: number;
  readonly limitedBy: number;
  /** For each limit of the row, as far as there were limits then, the units reserved. */
  readonly costs: readonly number[];
  /** The budget's time after which the lease may be forgotten. */
  readonly forgetAtMs: number;
}

/**
 * What the arithmetic needs of one budget's storage, inside one transaction. Rows are values: a changed row takes
 * effect by `put`.
 */
export interface BudgetTable {
  row(): BudgetRow | undefined;
  putRow(row: BudgetRow): void;
  lease(id: string): LeaseRow | undefined;
  putLease(lease: LeaseRow): void;
  removeLease(id: string): void;
  /** Forgets leases with `forgetAtMs <= nowMs`. */
  forgetLeases(nowMs: number): void;
  /** Leases with `forgetAtMs > nowMs`. */
  countLeases(nowMs: number): number;
  /** Forgets the budget whole, however damaged its rows are (B11). */
  forget(): void;
  /**
   * The budget's limit record. Asked for by requests with `stored`. Absent where the store keeps no stored limits: such
   * requests go by the code's values then.
   * @throws DtError `DT_STORE_DATA` where it is damaged
   */
  limit?(): LimitRecordHead | undefined;
}
