import type { Bug } from "../bugs/bug.ts";
import type { Plan } from "../plan/plan.ts";
import { keepFaults } from "./keep.ts";
import { runPlan } from "./run-seed.ts";

/**
 * Drops faults one by one for as long as the run still violates the same rule. Returns the indices of those that are
 * needed.
 */
export async function minimise(plan: Plan, bug?: Bug): Promise<readonly number[]> {
  const rule = (await runPlan(plan, { bug })).violations[0]?.rule;
  let kept = plan.faults.map((_, index) => index);
  for (let shorter = true; shorter; ) {
    shorter = false;
    for (const index of [...kept].reverse()) {
      const without = kept.filter((other) => other !== index);
      const { violations } = await runPlan(keepFaults(plan, without), { bug });
      if (violations[0]?.rule !== rule) continue;
      kept = without;
      shorter = true;
    }
  }
  return kept;
}
