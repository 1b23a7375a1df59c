import countLeases from "./sql/count-leases.sql";
import forgetBudget from "./sql/forget-budget.sql";
import forgetBudgets from "./sql/forget-budgets.sql";
import forgetLeases from "./sql/forget-leases.sql";
import insertBudget from "./sql/insert-budget.sql";
import listBudgets from "./sql/list-budgets.sql";
import putLease from "./sql/put-lease.sql";
import removeLease from "./sql/remove-lease.sql";
import selectBudget from "./sql/select-budget.sql";
import selectLease from "./sql/select-lease.sql";
import updateBudget from "./sql/update-budget.sql";

/** The statements of budgets, by name. */
export const BUDGET_SQL = {
  countLeases,
  forgetBudget,
  forgetBudgets,
  forgetLeases,
  insertBudget,
  listBudgets,
  putLease,
  removeLease,
  selectBudget,
  selectLease,
  updateBudget,
};
