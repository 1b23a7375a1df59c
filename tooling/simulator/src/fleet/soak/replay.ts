import type { Bug } from "../bugs/bug.ts";
import { changeNamed } from "../bugs/catalogue.ts";
import { planOf } from "../plan/generate.ts";
import { Trace } from "../world/trace.ts";
import { keepFaults } from "./keep.ts";
import { minimise } from "./minimise.ts";
import type { SoakOptions } from "./options.ts";
import { type Outcome, runPlan } from "./run-seed.ts";

/** Runs one seed again, and when it fails shows the shortest schedule that still does. */
export async function replay(seed: number, options: SoakOptions, say: (line: string) => void): Promise<Outcome> {
  const whole = planOf(seed, options.profile, options.shares);
  const plan = options.keep ? keepFaults(whole, options.keep) : whole;
  if (options.trace) say(`settings ${JSON.stringify({ ...plan.settings, churnMs: plan.churnMs })}`);
  const outcome = await runPlan(plan, { bug: bugOf(options), trace: options.trace ? new Trace(say) : undefined });
  for (const { rule, atMs, detail } of outcome.violations) say(`${rule} at ${atMs.toFixed(1)} ms: ${detail}`);
  if (outcome.violations.length === 0) say(`seed ${seed}: nothing violated`);
  else if (!options.keep) await showShortest(seed, options, say);
  return outcome;
}

/** Prints the one command that replays a failing seed, who runs at first, and the faults that it needs. */
export async function showShortest(seed: number, options: SoakOptions, say: (line: string) => void): Promise<void> {
  const plan = planOf(seed, options.profile, options.shares);
  const kept = await minimise(plan, bugOf(options));
  const shares = options.shares === "even" ? "" : ` --shares ${options.shares}`;
  const change = options.with === undefined ? "" : ` --with ${options.with}`;
  const command = `npm run -s soak -- --profile ${options.profile}${shares} --seed ${seed}${change}`;
  say(`replay: ${command} --trace`);
  say(`shortest schedule: ${command} --keep ${kept.join(",") || "none"} --trace`);
  const starts = plan.members.map(({ name, startMs, caller }) => `${name} at ${startMs.toFixed(0)} ms (${caller})`);
  say(`  at first: ${starts.join(", ")}`);
  for (const index of kept) say(`  fault ${index}: ${JSON.stringify(plan.faults[index])}`);
}

function bugOf(options: SoakOptions): Bug | undefined {
  return options.with === undefined ? undefined : changeNamed(options.with);
}
