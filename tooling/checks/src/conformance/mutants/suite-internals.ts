/**
 * What the mutants take from inside the suite, which publishes none of it: its own tables of permits, budgets
 * and buckets, which stay independent of core's, since the suite's specification is an oracle.
 */
export { PlainBucketTable } from "../../../../../packages/conformance/src/buckets/plain-bucket-table.ts";
export { PlainBudgetTable } from "../../../../../packages/conformance/src/budgets/plain-budget-table.ts";
export { PlainPermitTable } from "../../../../../packages/conformance/src/permits/plain-permit-table.ts";
