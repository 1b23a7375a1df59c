import type { BudgetTable } from "../budgets/budget-table.ts";
import type { BucketRef } from "../contract/bucket.ts";
import type { LimitTarget } from "../contract/limit-ledger.ts";
import type { BucketTable } from "../keyed/bucket-table.ts";
import type { LedgerTable } from "../ledger/table.ts";
import type { LimitRecordRow, UncheckedLimitRecord } from "../limits/limit-row.ts";
import type { InspectablePermitTable, ResettablePermitTable } from "../permits/permit-table.ts";
import type { BackendParts } from "./backend.ts";
import type { Answer, Call } from "./call.ts";
import type { NamedKind, Topic } from "./listeners.ts";

/** One group's rows in one transaction. */
export interface GroupTable extends LedgerTable {
  /** True when a change was written that listeners of hints wait for. For a store that sends hints. */
  readonly newsworthy?: boolean;
  /** True when that change set a pause, or lengthened it (R35). */
  readonly newlyPaused?: boolean;
}

/** One key's rows in one transaction. */
export interface KeyTable extends ResettablePermitTable, InspectablePermitTable {
  /** Notes that something was given back, where the listeners of other processes read that in the database. */
  noteRelease?(): void;
  /** Forgets the key whole, however damaged its rows are (P12). Absent where they are not checked. */
  forgetKey?(): void;
}

/** The limit records in one transaction. */
export interface LimitTable {
  /**
   * A record as it is stored; undefined where there is none.
   * @param target whose limit it is
   */
  limit(target: LimitTarget): UncheckedLimitRecord | undefined;
  /**
   * Writes a record, new or not.
   * @param target whose limit it is
   * @param row the record
   */
  putLimit(target: LimitTarget, row: LimitRecordRow): void;
}

/** A database that runs JavaScript inside a transaction. */
export interface TableDatabase<Transaction> extends Omit<BackendParts, "close"> {
  /**
   * Runs `operation` as a whole or not at all, alone among all that write; `read` only needs a consistent view. `nowMs`
   * is the time of the database's clock or, where the machine's is the one that all processes share, of that.
   * @param mode `read` only looks
   * @param operation what runs inside, with the time in milliseconds
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  transaction<T>(
    mode: "read" | "write",
    operation: (transaction: Transaction, nowMs: number) => T,
    call: Call,
  ): Answer<T>;
  /**
   * The rows of one group in a transaction.
   * @param transaction the transaction under way
   * @param group the group's name
   */
  groupTable(transaction: Transaction, group: string): GroupTable;
  /** True where every table of a group is a {@link RepairTable}: damage is mended, also on request. */
  readonly heals?: boolean;
  /**
   * Absent where the store keeps no permits.
   * @param transaction the transaction under way
   * @param key the key's name
   * @param nowMs the time of the transaction, in milliseconds
   */
  keyTable?(transaction: Transaction, key: string, nowMs: number): KeyTable;
  /**
   * Absent where the store keeps no budgets.
   * @param transaction the transaction under way
   * @param budget the budget's name
   * @param nowMs the time of the transaction, in milliseconds
   */
  budgetTable?(transaction: Transaction, budget: string, nowMs: number): BudgetTable;
  /**
   * Absent where the store keeps no limits.
   * @param transaction the transaction under way
   */
  limitTable?(transaction: Transaction): LimitTable;
  /**
   * Absent where the store keeps no buckets.
   * @param transaction the transaction under way
   * @param bucket which one
   * @param nowMs the time of the transaction, in milliseconds
   */
  bucketTable?(transaction: Transaction, bucket: BucketRef, nowMs: number): BucketTable;
  /**
   * Forgets some of the buckets that mean nothing any more (`bucketMeansForMs`). Called once in each transaction that
   * takes from buckets, so that keys that were used once leave nothing behind. Absent where they disappear by
   * themselves.
   * @param transaction the transaction under way
   * @param nowMs the time of the transaction, in milliseconds
   */
  forgetBuckets?(transaction: Transaction, nowMs: number): void;
  /**
   * The first {@link PAGE_SIZE} names after this one, in any order that stays. Absent where they are not kept.
   * @param transaction the transaction under way
   * @param kind names of groups, of keys of permits, of budgets, or of buckets (as `bucketName` makes them)
   * @param after the name before the page; the empty text for the first page
   */
  names?(transaction: Transaction, kind: NamedKind, after: string): readonly string[];
  /**
   * Called after the commit of a change that listeners wait for.
   * @param topic what is listened to
   * @param text the text of a hint of slots, or `"pause"` for one of a group that was paused
   */
  changed?(topic: Topic, text?: string): void;
  /** Ends what the adapter opened itself. */
  close?(): Answer<void>;
}
