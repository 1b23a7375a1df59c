export { type ConformanceCase, conformanceCases } from "./bound-case.ts";
export { conformance, type TestFunction, type TestRunner } from "./conformance.ts";
export { ConformanceFailure, SkippedCase } from "./failure.ts";
export type { HistoryEntry } from "./history.ts";
export { checkPermitHistory } from "./linearizability/check-permit-history.ts";
export { checkSpendHistory, type SpendOperation, spendOperations } from "./linearizability/check-spend-history.ts";
export { permitOperations } from "./linearizability/history-operations.ts";
export type {
  LinearizabilityOptions,
  LinearizabilityVerdict,
  PermitOperation,
  ReleaseOperation,
  ReserveOperation,
} from "./linearizability/operation.ts";
export { RULES, type Rule } from "./rules.ts";
export {
  type CaseFailure,
  type CaseResult,
  type ConformanceOptions,
  type ConformanceReport,
  runConformance,
} from "./run.ts";
export type { StoreDamage, StoreFaults, StoreTarget, StoreUse } from "./target.ts";
