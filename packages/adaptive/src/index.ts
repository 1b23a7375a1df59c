export type { LimitAlgorithm, LimitState, SampleWindow, WindowLength } from "./algorithms/algorithm.ts";
export { fixed } from "./algorithms/fixed.ts";
export { ConcurrencyLimit, createConcurrencyLimit } from "./limit/concurrency-limit.ts";
export type { ConcurrencyLimitEvent, ConcurrencyLimitEvents, ShedReason } from "./limit/events.ts";
export type { ConcurrencyLimitOptions, SlotOptions, SlotRequest } from "./limit/options.ts";
export type { Slot } from "./limit/slot.ts";
export type { ConcurrencyLimitStatus } from "./limit/status.ts";
export type { CalleeReport, Outcome } from "./outcome/outcome.ts";
