import type { Core } from "../engine/core.ts";
import type { Plan } from "../plan/plan.ts";
import { keepFaults } from "./keep.ts";
import { runPlan } from "./run-seed.ts";

/**
 * Drops faults one by one for as long as the run still violates the same rule. Returns the indices of those that are
 * needed.
 */
export async function minimise(core: Core, plan: Plan): Promise<readonly number[]> {
  const rule = (await runPlan(core, plan)).violations[0]?.rule;
  let kept = plan.faults.map((_, index) => index);
  for (let shorter = true; shorter; ) {
    shorter = false;
    for (const index of [...kept].reverse()) {
      const without = kept.filter((other) => other !== index);
      const { violations } = await runPlan(core, keepFaults(plan, without));
      if (violations[0]?.rule !== rule) continue;
      kept = without;
      shorter = true;
    }
  }
  return kept;
}
