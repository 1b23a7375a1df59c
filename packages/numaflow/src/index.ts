/** The `rateLimit` blocks of Numaflow specs as throttles. */

export {
  type CheckSpecOptions,
  checkSpec,
  type ResourceReport,
  type SpecReport,
  type VertexReport,
} from "./check-spec.ts";
export type { Origin } from "./limit/inherit.ts";
export type { LimitOptions, NumaflowThrottleOptions, TokenUnit } from "./limit/limit.ts";
export type { Difference } from "./report/differences.ts";
export type { FieldReport } from "./report/fields.ts";
export type { SpecProblem } from "./spec/problem.ts";
export type { SecretReference } from "./spec/rate-limit.ts";
export type { NumaflowKind, SkippedDocument, VertexRole } from "./spec/resources.ts";
export { type SecretResolver, secretsFromEnvironment, secretVariable } from "./store/secrets.ts";
export {
  type FurtherThrottleOptions,
  type NumaflowOptions,
  type NumaflowThrottle,
  throttleFromNumaflow,
} from "./throttle-from-numaflow.ts";
export { throttleOptionsOf } from "./throttle-options-of.ts";
