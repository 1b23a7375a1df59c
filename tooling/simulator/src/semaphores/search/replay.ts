import { Trace } from "../../fleet/world/trace.ts";
import { bugNamed } from "./bugs/catalogue.ts";
import type { SlotBug } from "./bugs/slot-bug.ts";
import { planOf } from "./generate.ts";
import type { SearchOptions } from "./options.ts";
import type { SearchPlan } from "./plan.ts";
import { type Outcome, runPlan } from "./run-seed.ts";

/** Runs one seed again, and when it fails shows the shortest schedule that still does. */
export async function replay(seed: number, options: SearchOptions, say: (line: string) => void): Promise<Outcome> {
  const whole = planOf(seed, options.profile, options.store);
  const plan = options.keep ? keepFaults(whole, options.keep) : whole;
  if (options.trace) say(`settings ${JSON.stringify(plan.settings)}`);
  const outcome = await runPlan(plan, { bug: bugOf(options), trace: options.trace ? new Trace(say) : undefined });
  for (const { rule, atMs, detail } of outcome.violations) say(`${rule} at ${atMs.toFixed(1)} ms: ${detail}`);
  if (outcome.violations.length === 0) say(`seed ${seed}: nothing violated, ${outcome.begun} calls`);
  else if (!options.keep) await showShortest(seed, options, say);
  return outcome;
}

/** Prints the command that replays a failing seed, the fleet, and the faults that it needs. */
export async function showShortest(seed: number, options: SearchOptions, say: (line: string) => void): Promise<void> {
  const plan = planOf(seed, options.profile, options.store);
  const kept = await minimise(plan, bugOf(options));
  const change = options.with === undefined ? "" : ` --with ${options.with}`;
  const where = `--profile ${options.profile} --store ${options.store}`;
  const command = `npm run -s semaphore -- search ${where} --seed ${seed}${change}`;
  say(`replay: ${command} --trace`);
  say(`shortest schedule: ${command} --keep ${kept.join(",") || "none"} --trace`);
  say(`  ${JSON.stringify(plan.settings)}`);
  for (const index of kept) say(`  fault ${index}: ${JSON.stringify(plan.faults[index])}`);
}

/**
 * Drops faults one by one for as long as the run still violates the same rule. Returns the indices of those that are
 * needed.
 */
export async function minimise(plan: SearchPlan, bug?: SlotBug): Promise<readonly number[]> {
  const rule = (await runPlan(plan, { bug })).violations[0]?.rule;
  let kept = plan.faults.map((_, index) => index);
  for (let shorter = true; shorter; ) {
    shorter = false;
    for (const index of [...kept].reverse()) {
      const without = kept.filter((other) => other !== index);
      if ((await runPlan(keepFaults(plan, without), { bug })).violations[0]?.rule !== rule) continue;
      kept = without;
      shorter = true;
    }
  }
  return kept;
}

/** The same plan with only some of its faults, by index. */
export function keepFaults(plan: SearchPlan, indices: readonly number[]): SearchPlan {
  return { ...plan, faults: plan.faults.filter((_, index) => indices.includes(index)) };
}

function bugOf(options: SearchOptions): SlotBug | undefined {
  return options.with === undefined ? undefined : bugNamed(options.with);
}
