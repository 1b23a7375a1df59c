import { groupPlan } from "./group-plan.ts";
import type { PermitViolation } from "./permit-check.ts";
import type { PermitCore } from "./permit-core.ts";
import { permitPlan } from "./permit-plan.ts";
import { runGroup } from "./run-group.ts";
import { runPermits } from "./run-permits.ts";
import { withSleeps } from "./sleeps.ts";

/** A kind of world of pacers, of which each seed is one. */
export interface PermitWorld {
  readonly name: string;
  run(
    core: PermitCore,
    seed: number,
  ): Promise<{
    readonly granted: number;
    readonly violations: readonly PermitViolation[];
  }>;
}

/**
 * One store, then several sites; `clean`, `storm` and `busy` as in {@link permitPlan}; `asleep` a storm in which
 * machines are suspended.
 */
export const WORLDS: readonly PermitWorld[] = [
  { name: "clean", run: (core, seed) => runPermits(core, permitPlan(seed, "clean")) },
  { name: "storm", run: (core, seed) => runPermits(core, permitPlan(seed, "storm")) },
  { name: "busy", run: (core, seed) => runPermits(core, permitPlan(seed, "busy")) },
  { name: "group-clean", run: (core, seed) => runGroup(core, groupPlan(seed, "clean")) },
  { name: "group-storm", run: (core, seed) => runGroup(core, groupPlan(seed, "storm")) },
  { name: "asleep", run: (core, seed) => runPermits(core, withSleeps(permitPlan(seed, "storm"))) },
  { name: "group-asleep", run: (core, seed) => runGroup(core, withSleeps(groupPlan(seed, "storm"))) },
];

/** Seeds that found a fault once. */
export const FOUND: Readonly<Record<string, readonly number[]>> = {
  // A request in line, granted late for a caller who had left, was taken for one of another cost.
  // The instant of an answer that was repeated counted from the repetition.
  storm: [1859, 15345],
};
