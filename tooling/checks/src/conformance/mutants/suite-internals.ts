/**
 * What the mutants take from inside the suite, which publishes none of it: its own table of permits, which stays
 * independent of core's, since the suite's specification is an oracle.
 */
export { PlainPermitTable } from "../../../../../packages/conformance/src/permits/plain-permit-table.ts";
