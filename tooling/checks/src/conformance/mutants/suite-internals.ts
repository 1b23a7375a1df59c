/**
 * What the mutants take from inside the suite, which publishes none of it: its own tables of permits and budgets,
 * which stay independent of core's, since the suite's specification is an oracle.
 */
export { PlainBudgetTable } from "../../../../../packages/conformance/src/budgets/plain-budget-table.ts";
export { PlainPermitTable } from "../../../../../packages/conformance/src/permits/plain-permit-table.ts";
