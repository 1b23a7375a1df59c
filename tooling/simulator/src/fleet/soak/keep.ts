import type { Plan } from "../plan/plan.ts";

/** The same plan with only some of its faults, by index. */
export function keepFaults(plan: Plan, indices: readonly number[]): Plan {
  return { ...plan, faults: plan.faults.filter((_, index) => indices.includes(index)) };
}
