/** A worker process of the search: runs the seeds it is sent, and answers with what came of them. */
import { bugNamed } from "./bugs/catalogue.ts";
import { planOf } from "./generate.ts";
import type { Profile, StoreKind } from "./plan.ts";
import { type Outcome, runPlan } from "./run-seed.ts";

/** What a worker process is asked to do. */
export interface Job {
  readonly profile: Profile;
  readonly store: StoreKind;
  /** The seeded bug that is put in, by name. */
  readonly with: string | undefined;
  readonly seeds: readonly number[];
  /** Ends with the first seed that violates something. */
  readonly untilFailure: boolean;
}

process.on("message", async (job: Job) => {
  const bug = job.with === undefined ? undefined : bugNamed(job.with);
  const outcomes: Outcome[] = [];
  for (const seed of job.seeds) {
    const outcome = await runPlan(planOf(seed, job.profile, job.store), { bug });
    outcomes.push(outcome);
    if (job.untilFailure && outcome.violations.length > 0) break;
  }
  process.send?.(outcomes);
});
