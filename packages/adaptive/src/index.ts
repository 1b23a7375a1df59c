export type { LimitAlgorithm, LimitState, SampleWindow, WindowLength } from "./algorithms/algorithm.ts";
export type { CalleeReport, Outcome } from "./outcome/outcome.ts";
