export { type ConformanceCase, conformanceCases } from "./bound-case.ts";
export { conformance, type TestFunction, type TestRunner } from "./conformance.ts";
export { ConformanceFailure } from "./failure.ts";
export type { HistoryEntry } from "./history.ts";
export { RULES, type Rule } from "./rules.ts";
export {
  type CaseFailure,
  type CaseResult,
  type ConformanceOptions,
  type ConformanceReport,
  runConformance,
} from "./run.ts";
export type { StoreFaults, StoreTarget } from "./target.ts";
