import type { LimitRecordHead } from "../limits/limit-row.ts";
import type { BudgetRow, BudgetTable, LeaseRow } from "./budget-table.ts";

/** Everything that is known of a budget. */
export interface BudgetState {
  readonly row: BudgetRow | undefined;
  readonly leases: readonly LeaseRow[];
}

/** One budget in memory. */
export class MemoryBudgetTable implements BudgetTable {
  #row: BudgetRow | undefined;
  readonly #leases = new Map<string, LeaseRow>();
  /** No lease is to be forgotten before this time. */
  #firstMs = Number.POSITIVE_INFINITY;
  readonly limit?: () => LimitRecordHead | undefined;

  /**
   * @param state what {@link state} gave; nothing is known without it
   * @param limit the budget's limit record; left out where the store keeps none
   */
  constructor(
    { row, leases }: BudgetState = { row: undefined, leases: [] },
    limit?: () => LimitRecordHead | undefined,
  ) {
    if (limit) this.limit = limit;
    this.#row = row && copyOf(row);
    for (const lease of leases) this.putLease(lease);
  }

  state(): BudgetState {
    return { row: this.row(), leases: [...this.#leases.values()] };
  }

  row(): BudgetRow | undefined {
    return this.#row && copyOf(this.#row);
  }

  putRow(row: BudgetRow): void {
    this.#row = row;
  }

  lease(id: string): LeaseRow | undefined {
    return this.#leases.get(id);
  }

  putLease(lease: LeaseRow): void {
    this.#leases.set(lease.id, lease);
    this.#firstMs = Math.min(this.#firstMs, lease.forgetAtMs);
  }

  removeLease(id: string): void {
    this.#leases.delete(id);
  }

  forgetLeases(nowMs: number): void {
    if (nowMs < this.#firstMs) return;
    this.#firstMs = Number.POSITIVE_INFINITY;
    for (const [id, { forgetAtMs }] of this.#leases) {
      if (forgetAtMs <= nowMs) this.#leases.delete(id);
      else this.#firstMs = Math.min(this.#firstMs, forgetAtMs);
    }
  }

  countLeases(nowMs: number): number {
    let count = 0;
    for (const { forgetAtMs } of this.#leases.values()) if (forgetAtMs > nowMs) count += 1;
    return count;
  }

  forget(): void {
    this.#row = undefined;
    this.#leases.clear();
  }
}

function copyOf(row: BudgetRow): BudgetRow {
  const limits = row.limits.map((limit) => ({
    ...limit,
    slots: [...limit.slots],
    units: [...limit.units],
    paceMs: [...limit.paceMs],
  }));
  return { ...row, limits };
}
