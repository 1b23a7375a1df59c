import {
  type BudgetRow,
  type BudgetTable,
  budgetMeansForMs,
  damagedBudget,
  decodeBudgetRow,
  decodeLease,
  encodeBudgetRow,
  encodeLease,
  type LeaseRow,
  type LimitRecordHead,
} from "@dt/core/ledger";
import { limitHeadOf } from "../limits/sqlite-limits.ts";
import type { Statements } from "../statements.ts";

/**
 * A budget is kept for this long after it means nothing any more, so that one in use moves its time in the index once a
 * minute at most.
 */
const KEEP_MS = 60_000;

/** Times beyond the year 30,000 are not this library's. */
const MOST_MS = 1e15;

interface StoredBudget {
  readonly budgetId: number;
  readonly row: string;
  readonly keepUntilMs: number;
}

/** One budget in the file, within one transaction. */
export class SqliteBudgetTable implements BudgetTable {
  readonly #statements: Statements;
  readonly #name: string;
  readonly #clockMs: number;
  #budgetId: number | undefined;
  #keepUntilMs = 0;
  /** Leases that are over at this time of the budget are forgotten, also where their rows are still there. */
  #forgottenMs = Number.MIN_SAFE_INTEGER;
  /** The budget's time after which no lease that was written in this transaction matters. */
  #neededMs = 0;

  constructor(statements: Statements, name: string, clockMs: number) {
    this.#statements = statements;
    this.#name = name;
    this.#clockMs = clockMs;
  }

  row(): BudgetRow | undefined {
    const stored = this.#statements.selectBudget.get(this.#name) as StoredBudget | undefined;
    if (!stored) return undefined;
    const { budgetId, keepUntilMs } = stored;
    const where = this.#where("budgets");
    if (!(Math.abs(keepUntilMs) <= MOST_MS)) throw damagedBudget(where, `keepUntilMs ${keepUntilMs}`);
    this.#budgetId = budgetId;
    this.#keepUntilMs = keepUntilMs;
    return decodeBudgetRow(parsed(stored.row, where), where);
  }

  /** The arithmetic puts the row last, so that all that is needed of the budget is known by then. */
  putRow(row: BudgetRow): void {
    const neededMs = Math.max(this.#neededMs, row.lastMs + budgetMeansForMs(row)) - row.offsetMs;
    if (neededMs > this.#keepUntilMs) this.#keepUntilMs = neededMs + KEEP_MS;
    this.#statements.updateBudget.run(JSON.stringify(encodeBudgetRow(row)), this.#keepUntilMs, this.#id());
  }

  lease(id: string): LeaseRow | undefined {
    const stored = this.#statements.selectLease.get(this.#id(), id, this.#forgottenMs) as
      | { readonly lease: string }
      | undefined;
    if (!stored) return undefined;
    const where = this.#where("budget_leases");
    return decodeLease(parsed(stored.lease, where), where);
  }

  putLease(lease: LeaseRow): void {
    this.#neededMs = Math.max(this.#neededMs, lease.forgetAtMs);
    this.#statements.putLease.run(this.#id(), lease.id, lease.forgetAtMs, JSON.stringify(encodeLease(lease)));
  }

  removeLease(id: string): void {
    this.#statements.removeLease.run(this.#id(), id);
  }

  forgetLeases(nowMs: number): void {
    this.#forgottenMs = nowMs;
    this.#statements.forgetLeases.run(this.#id(), nowMs);
  }

  countLeases(nowMs: number): number {
    return (this.#statements.countLeases.get(this.#id(), nowMs) as { readonly open: number }).open;
  }

  limit(): LimitRecordHead | undefined {
    return limitHeadOf(this.#statements, "budget", this.#name);
  }

  forget(): void {
    this.#statements.forgetBudget.run(this.#name);
    this.#budgetId = undefined;
  }

  #where(table: string): string {
    return `the row of budget ${this.#name} in ${table}`;
  }

  /** The budget's number; a budget that is new gets one, and two that mean nothing any more are forgotten. */
  #id(): number {
    if (this.#budgetId === undefined) {
      this.#statements.forgetBudgets.run(this.#clockMs);
      this.#budgetId = (this.#statements.insertBudget.get(this.#name) as { readonly budgetId: number }).budgetId;
    }
    return this.#budgetId;
  }
}

/** @throws DtError `DT_STORE_DATA` */
function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damagedBudget(where, "something that is not JSON");
  }
}
