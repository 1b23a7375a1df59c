import type { BudgetSnapshot, SpendAnswer, SpendRequest } from "@dt/core";
import type { PlainBudgetTable } from "./suite-internals.ts";
import type { Unchecked } from "./without-checks.ts";

/** One operation as the budget ledger gets it. */
export interface SpendAtServer {
  readonly table: PlainBudgetTable;
  readonly request: SpendRequest;
  readonly nowMs: number;
}

/** What is wrong with the budgets of a store. Everything that is not overridden is as it should be. */
export interface BudgetFlaw {
  /** Under which name a budget is kept. */
  readonly key?: (budget: string) => string;
  readonly table?: new () => PlainBudgetTable;
  /** The time that an operation sees; `client` numbers the stores that were made. */
  readonly clock?: (nowMs: number, client: number) => number;
  /** `proceed` does it as it should be done, or with another request. */
  readonly spend?: (operation: SpendAtServer, proceed: (request?: SpendRequest) => SpendAnswer) => SpendAnswer;
  readonly reset?: (table: PlainBudgetTable, proceed: () => void) => void;
  readonly inspect?: (
    operation: { readonly table: PlainBudgetTable; readonly nowMs: number },
    proceed: () => BudgetSnapshot | undefined,
  ) => BudgetSnapshot | undefined;
  /** What becomes of a budget whose data is damaged: it is served as if it were new, or a reset does not mend it. */
  readonly damaged?: "served" | "kept";
  /** Reads, lets other operations happen, and then writes. */
  readonly torn?: boolean;
  /** Leaves out checks of what callers hand in. */
  readonly unchecked?: Unchecked;
}
