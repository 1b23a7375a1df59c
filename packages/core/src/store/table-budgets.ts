import type { BudgetTable } from "../budgets/budget-table.ts";
import { spend } from "../budgets/budgets.ts";
import { inspectBudget } from "../budgets/inspect-budget.ts";
import type { Backend } from "./backend.ts";
import type { Answer, Call } from "./call.ts";
import type { TableDatabase } from "./table-database.ts";
import { begin } from "./transaction.ts";

type BudgetOperations = Required<Pick<Backend, "spend" | "resetBudget" | "inspectBudget">>;

/** The budgets of a database that runs JavaScript inside a transaction. */
export function tableBudgets<Transaction>(
  database: Pick<TableDatabase<Transaction>, "transaction">,
  budgetTable: (transaction: Transaction, budget: string, nowMs: number) => BudgetTable,
): BudgetOperations {
  const change = <T>(budget: string, operation: (table: BudgetTable, nowMs: number) => T, call: Call): Answer<T> =>
    database.transaction(
      "write",
      (transaction, nowMs) => {
        begin(call);
        return operation(budgetTable(transaction, budget, nowMs), nowMs);
      },
      call,
    );
  return {
    spend: (budget, request, call) => change(budget, (table, nowMs) => spend(table, request, nowMs), call),
    resetBudget: (budget, call) => change(budget, (table) => table.forget(), call),
    inspectBudget: (budget, call) =>
      database.transaction("read", (tx, nowMs) => inspectBudget(budgetTable(tx, budget, nowMs), budget, nowMs), call),
  };
}
