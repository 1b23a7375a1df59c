import type { BudgetRow, BudgetTable, LeaseRow, LimitRecordHead } from "@dt/core/ledger";
import type { RootDatabase } from "lmdb";
import { LmdbLimits } from "./lmdb-limits.ts";
import { forgetName, noteName, short } from "./lmdb-names.ts";

type Key = (string | number)[];

/**
 * One budget as LMDB entries, inside one write transaction: a row, and the leases by id and in order of when they may
 * be forgotten. No group's name hashes to "budget", so that budgets and groups do not meet.
 */
export class LmdbBudgetTable implements BudgetTable {
  readonly #db: RootDatabase;
  readonly #name: string;
  readonly #key: Key;

  constructor(db: RootDatabase, budget: string) {
    this.#db = db;
    this.#name = budget;
    this.#key = ["budget", short(budget)];
  }

  row(): BudgetRow | undefined {
    return this.#db.get([...this.#key, "row"]);
  }

  putRow(row: BudgetRow): void {
    this.#db.putSync([...this.#key, "row"], row);
    noteName(this.#db, "budget", this.#name);
  }

  lease(id: string): LeaseRow | undefined {
    return this.#db.get(this.#leaseOf(id));
  }

  putLease(lease: LeaseRow): void {
    this.#db.putSync(this.#leaseOf(lease.id), lease);
    this.#db.putSync(this.#turnOf(lease), lease.id);
  }

  removeLease(id: string): void {
    const lease = this.lease(id);
    if (!lease) return;
    this.#db.removeSync(this.#leaseOf(id));
    this.#db.removeSync(this.#turnOf(lease));
  }

  forgetLeases(nowMs: number): void {
    const range = { start: [...this.#key, "forget"], end: [...this.#key, "forget", nowMs, "\uffff"] };
    for (const { value } of [...this.#db.getRange(range)]) this.removeLease(value as string);
  }

  countLeases(nowMs: number): number {
    const known = { start: [...this.#key, "forget", nowMs, "\uffff"], end: [...this.#key, "forget\0"] };
    return this.#db.getKeysCount(known);
  }

  limit(): LimitRecordHead | undefined {
    return new LmdbLimits(this.#db).limit({ kind: "budget", name: this.#name });
  }

  forget(): void {
    for (const key of [...this.#db.getKeys({ start: this.#key, end: [...this.#key, "\uffff"] })])
      this.#db.removeSync(key);
    forgetName(this.#db, "budget", this.#name);
  }

  #leaseOf(id: string): Key {
    return [...this.#key, "lease", short(id)];
  }

  /** Where a lease is in the order of forgetting. */
  #turnOf({ id, forgetAtMs }: LeaseRow): Key {
    return [...this.#key, "forget", forgetAtMs, short(id)];
  }
}
