import type { BudgetLedger, CoordinationStore } from "@dt/core";

/** A store that keeps budgets too. */
export type BudgetStore = CoordinationStore & BudgetLedger;
