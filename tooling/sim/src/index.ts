export type { Rule, Violation } from "./check/violation.ts";
export { type Core, loadCore } from "./engine/core.ts";
export { planOf } from "./plan/generate.ts";
export { type Fault, type Plan, PROFILES, type Profile, type Settings } from "./plan/plan.ts";
export { minimise } from "./soak/minimise.ts";
export { type Outcome, runPlan } from "./soak/run-seed.ts";
export { Trace } from "./world/trace.ts";
export { World } from "./world/world.ts";
