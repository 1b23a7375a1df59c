import { groupPlan } from "./group-plan.ts";
import type { PermitBug } from "./permit-bugs.ts";
import type { PermitViolation } from "./permit-check.ts";
import { permitPlan } from "./permit-plan.ts";
import { runGroup } from "./run-group.ts";
import { runPermits } from "./run-permits.ts";
import { withSleeps } from "./sleeps.ts";

/** A kind of world of pacers, of which each seed is one. */
export interface PermitWorld {
  readonly name: string;
  run(
    seed: number,
    bug?: PermitBug,
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
  { name: "clean", run: (seed, bug) => runPermits(permitPlan(seed, "clean"), bug) },
  { name: "storm", run: (seed, bug) => runPermits(permitPlan(seed, "storm"), bug) },
  { name: "busy", run: (seed, bug) => runPermits(permitPlan(seed, "busy"), bug) },
  { name: "group-clean", run: (seed, bug) => runGroup(groupPlan(seed, "clean"), bug) },
  { name: "group-storm", run: (seed, bug) => runGroup(groupPlan(seed, "storm"), bug) },
  { name: "asleep", run: (seed, bug) => runPermits(withSleeps(permitPlan(seed, "storm")), bug) },
  { name: "group-asleep", run: (seed, bug) => runGroup(withSleeps(groupPlan(seed, "storm")), bug) },
];

/** Seeds that found a fault once. */
export const FOUND: Readonly<Record<string, readonly number[]>> = {
  // A request in the queue, granted late for a caller who had left, was taken for one of another cost.
  // The instant of an answer that was repeated counted from the repetition.
  storm: [1859, 15345],
};
