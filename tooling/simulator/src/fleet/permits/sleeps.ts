import { Random } from "../../random.ts";
import type { PermitPlan } from "./permit-plan.ts";

/**
 * The shortest suspension that a pacer is sure to notice, where the clock that counts it is read in whole seconds; and
 * a little for clocks that drift.
 */
const NOTICED_MS = 2_550;
const LONGEST_MS = 5_000;

/**
 * The same world on machines that fall asleep, most of them once, and whose local clock then stands still; each tells
 * in its way that it was.
 */
export function withSleeps<Plan extends PermitPlan>(plan: Plan): Plan {
  const random = new Random(plan.seed, "sleeps");
  const processes = plan.processes.map((process) => {
    const fromMs = random.between(0, plan.activeMs);
    const sleep = { fromMs, untilMs: fromMs + random.between(NOTICED_MS, LONGEST_MS) };
    const bootReading = random.pick(["exact", "seconds"] as const);
    return random.chance(0.8) ? { ...process, sleep, bootReading } : process;
  });
  return { ...plan, processes };
}
