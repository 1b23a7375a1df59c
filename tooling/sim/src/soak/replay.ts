import type { Core } from "../engine/core.ts";
import { planOf } from "../plan/generate.ts";
import type { Profile } from "../plan/plan.ts";
import { Trace } from "../world/trace.ts";
import { keepFaults } from "./keep.ts";
import { minimise } from "./minimise.ts";
import type { SoakOptions } from "./options.ts";
import { type Outcome, runPlan } from "./run-seed.ts";

/** Runs one seed again, and when it fails shows the shortest schedule that still does. */
export async function replay(
  core: Core,
  options: SoakOptions & { readonly seed: number },
  say: (line: string) => void,
): Promise<Outcome> {
  const whole = planOf(options.seed, options.profile);
  const plan = options.keep ? keepFaults(whole, options.keep) : whole;
  if (options.trace) say(`settings ${JSON.stringify({ ...plan.settings, churnMs: plan.churnMs })}`);
  const outcome = await runPlan(core, plan, options.trace ? new Trace(say) : undefined);
  for (const { rule, atMs, detail } of outcome.violations) say(`${rule} at ${atMs.toFixed(1)} ms: ${detail}`);
  if (outcome.violations.length === 0) say(`seed ${options.seed}: nothing violated`);
  else if (!options.keep) await showShortest(core, options.seed, options.profile, say);
  return outcome;
}

/** Prints the one command that replays a failing seed, and the faults that it needs. */
export async function showShortest(
  core: Core,
  seed: number,
  profile: Profile,
  say: (line: string) => void,
): Promise<void> {
  const plan = planOf(seed, profile);
  const kept = await minimise(core, plan);
  say(`replay: npm run -s soak -- --profile ${profile} --seed ${seed} --trace`);
  say(
    `shortest schedule: npm run -s soak -- --profile ${profile} --seed ${seed} --keep ${kept.join(",") || "none"} --trace`,
  );
  for (const index of kept) say(`  ${index}: ${JSON.stringify(plan.faults[index])}`);
}
