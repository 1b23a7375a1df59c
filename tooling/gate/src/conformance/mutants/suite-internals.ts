/** What the mutants take from inside the suite. The package publishes none of it. */
export { isMemberView } from "../../../../../packages/conformance/src/member.ts";
export type { PermitStore } from "../../../../../packages/conformance/src/permits/permit-store.ts";
export { PlainPermitTable } from "../../../../../packages/conformance/src/permits/plain-permit-table.ts";
