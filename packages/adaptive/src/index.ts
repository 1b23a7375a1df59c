export { type AimdOptions, type AimdState, aimd } from "./algorithms/aimd.ts";
export type { LimitAlgorithm, LimitState, SampleWindow, WindowLength } from "./algorithms/algorithm.ts";
export { type AutomaticOptions, type AutomaticState, automatic } from "./algorithms/automatic.ts";
export { type BbrOptions, type BbrPhase, type BbrState, bbr } from "./algorithms/bbr.ts";
export type { LimitBounds } from "./algorithms/bounds.ts";
export { type AlgorithmName, algorithmByName, algorithmNames } from "./algorithms/by-name.ts";
export { type EnvoyGradientOptions, type EnvoyGradientState, envoyGradient } from "./algorithms/envoy-gradient.ts";
export { fixed } from "./algorithms/fixed.ts";
export { type Gradient2Options, type Gradient2State, gradient2 } from "./algorithms/gradient2.ts";
export type { Knee } from "./algorithms/knee.ts";
export type { Floor } from "./algorithms/latency-floor.ts";
export { type QueueWaitOptions, queueWait } from "./algorithms/queue-wait.ts";
export { type VegasState, vegas } from "./algorithms/vegas.ts";
export type { WaitOptions, WaitState } from "./algorithms/wait-control.ts";
export { type Answer, answerOf, httpStatusOf } from "./answer/answer-of.ts";
export type { HeaderSource } from "./answer/fields.ts";
export type { Left } from "./answer/left.ts";
export type { DeclaredPolicy } from "./answer/policies.ts";
export {
  type AnswerFacts,
  type AnswerHook,
  AnswerReader,
  type AnswerReaderOptions,
  createAnswerReader,
  type HookReport,
  readAnswer,
  verdictOf,
} from "./answer/reader.ts";
export { type AnswerReport, statusOutcome } from "./answer/report.ts";
export { queueWaitOf } from "./answer/server-timing.ts";
export type { StatedLimit } from "./answer/stated-limit.ts";
export { type StatedLimits, type StatedLimitsOptions, statedLimits } from "./answer/stated-limits.ts";
export { statedMaximum } from "./answer/stated-maximum.ts";
export { type TokenUsage, usageOf } from "./answer/usage.ts";
export { createGuard, Guard } from "./guard/guard.ts";
export type { GuardAcquireOptions, GuardOptions } from "./guard/guard-options.ts";
export type { GuardEvents, GuardStatus } from "./guard/guard-status.ts";
export type { Passage } from "./guard/passage.ts";
export type { LearnedOptions } from "./learned/learned-options.ts";
export { ConcurrencyLimit, createConcurrencyLimit } from "./limit/concurrency-limit.ts";
export type { ConcurrencyLimitEvent, ConcurrencyLimitEvents, ShedReason } from "./limit/events.ts";
export type {
  CappedSemaphore,
  ConcurrencyLimitOptions,
  SlotCallOptions,
  SlotOptions,
  SlotRequest,
} from "./limit/options.ts";
export type { Slot } from "./limit/slot.ts";
export type { ConcurrencyLimitStatus } from "./limit/status.ts";
export { awsOutcome } from "./outcome/aws.ts";
export type { Call } from "./outcome/call.ts";
export { type Classifier, classifier, type Ended, type Rule, type Verdict } from "./outcome/classify.ts";
export { classifierOf, classify } from "./outcome/default-classifier.ts";
export { grpcOutcome } from "./outcome/grpc.ts";
export { httpOutcome, httpStatus } from "./outcome/http.ts";
export { nodeOutcome } from "./outcome/node-errors.ts";
export type { CalleeReport, Outcome } from "./outcome/outcome.ts";
export type { Classified } from "./outcome/run.ts";
export { unanswered } from "./outcome/unanswered.ts";
export type { Pausable } from "./pausable.ts";
export { AdaptiveRate, createAdaptiveRate } from "./rate/adaptive-rate.ts";
export type { AdaptiveRateOptions } from "./rate/adaptive-rate-options.ts";
export type { AdaptiveRateEvents, AdaptiveRateStatus } from "./rate/adaptive-rate-status.ts";
export type { Growth } from "./rate/learned-rate.ts";
export type { CappedThrottle } from "./rate/throttle-gate.ts";
export {
  createRetryBudget,
  type GivenUp,
  RetryBudget,
  type RetryBudgetEvents,
  type RetryBudgetStatus,
  type RetryOptions,
} from "./retry/retry-budget.ts";
export type { RetryBudgetOptions } from "./retry/retry-budget-options.ts";
export {
  AdaptiveThrottle,
  type AdaptiveThrottleEvents,
  type AdaptiveThrottleStatus,
  createAdaptiveThrottle,
  isAdaptiveThrottle,
} from "./throttle/adaptive-throttle.ts";
export type { AdaptiveThrottleOptions } from "./throttle/adaptive-throttle-options.ts";
export { rejectionProbability } from "./throttle/rejection.ts";
