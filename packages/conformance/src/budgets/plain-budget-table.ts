import type { BudgetRow, BudgetTable, LeaseRow, LimitRecordHead } from "@dt/core/ledger";

/** One budget, kept as plainly as can be: the sequential specification's state, and what a mutant overrides. */
export class PlainBudgetTable implements BudgetTable {
  budget: BudgetRow | undefined;
  /** The record of its limits. */
  record: LimitRecordHead | undefined;
  leases = new Map<string, LeaseRow>();

  row(): BudgetRow | undefined {
    return this.budget && structuredClone(this.budget);
  }

  putRow(row: BudgetRow): void {
    this.budget = structuredClone(row);
  }

  lease(id: string): LeaseRow | undefined {
    return this.leases.get(id);
  }

  putLease(lease: LeaseRow): void {
    this.leases.set(lease.id, lease);
  }

  removeLease(id: string): void {
    this.leases.delete(id);
  }

  forgetLeases(nowMs: number): void {
    for (const [id, { forgetAtMs }] of this.leases) if (forgetAtMs <= nowMs) this.leases.delete(id);
  }

  countLeases(nowMs: number): number {
    return [...this.leases.values()].filter(({ forgetAtMs }) => forgetAtMs > nowMs).length;
  }

  forget(): void {
    this.budget = undefined;
    this.leases.clear();
  }

  limit(): LimitRecordHead | undefined {
    return this.record;
  }

  /** Takes over the content of another table. */
  become(other: PlainBudgetTable): void {
    this.budget = other.row();
    this.record = other.record;
    this.leases = new Map(other.leases);
  }

  clone(): PlainBudgetTable {
    const copy = new PlainBudgetTable();
    copy.become(this);
    return copy;
  }

  /** The same text for the same content. */
  fingerprint(): string {
    const leases = [...this.leases.values()].map(({ id, atMs }) => `${id}@${atMs}`).sort();
    return `${JSON.stringify(this.budget)} ${leases.join(" ")}`;
  }
}
