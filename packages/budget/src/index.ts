/** Budgets: several limits that one call spends together, and settles when its true cost is known. */

export type { BudgetAcquireOptions, SettleOption } from "./acquire-options.ts";
export { Budget, createBudget } from "./budget.ts";
export type { Amount, AtMost, Cost, Usage } from "./cost.ts";
export type { BudgetEvent, BudgetEvents } from "./events.ts";
export type { LearnOptions, Stated } from "./learning.ts";
export type { Lease } from "./lease.ts";
export type { LimitOptions } from "./limits.ts";
export type { BudgetOptions, Holdback } from "./options.ts";
export type { Part } from "./parts.ts";
export type { BudgetStatus, LimitStatus } from "./status.ts";
