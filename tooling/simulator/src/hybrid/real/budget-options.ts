import type { BudgetLimit } from "@dt/core";

/** What a budget worker is told. */
export interface BudgetWorkerOptions {
  readonly id: string;
  /** What makes its store: a module, the name of a function in it, and that function's options. */
  readonly module: string;
  readonly factory: string;
  readonly store: object;
  readonly budget: string;
  readonly limit: BudgetLimit;
  /** Its monotonic clock: what is added to the machine's, and how fast it runs. */
  readonly clock: { readonly offsetMs: number; readonly rate: number };
  /** Calls to make, one after the other. */
  readonly calls: number;
}
