import type { StoredCopy } from "./limit-ledger.ts";

/** What a budget holds at one time, for people and tools. */
export interface BudgetSnapshot {
  /** The budget's name. */
  readonly budget: string;
  /** What its users agree on; absent while nothing binds them. */
  readonly terms?: string;
  /** The terms that these took the place of. */
  readonly formerTerms?: string;
  /** The stored limits as the budget's row has them (B13), by name; absent where it has none. */
  readonly stored?: StoredCopy;
  /** Its limits, by name. */
  readonly limits: readonly BudgetLimitSnapshot[];
  /** Leases that are known and not settled. */
  readonly open: number;
  /** What is left of a pause, in milliseconds; 0 for none. */
  readonly pausedForMs: number;
  /** The store's time, in milliseconds. */
  readonly storeTimeMs: number;
}

/** One limit of a budget at one time. */
export interface BudgetLimitSnapshot {
  /** The limit's name, unique in its budget. */
  readonly name: string;
  /** Units in any window, as the last request declared them. */
  readonly max: number;
  /** The window, in milliseconds. */
  readonly windowMs: number;
  /** Units spent in the window that ends now, reservations ahead included. */
  readonly spent: number;
  /** Units that are kept free, since the estimates of calls that run are off by so much. */
  readonly margin: number;
}
