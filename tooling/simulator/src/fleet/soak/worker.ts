/** A worker process of the soak: runs the seeds it is sent, and answers with what came of them. */
import { changeNamed } from "../bugs/catalogue.ts";
import { planOf } from "../plan/generate.ts";
import type { Job } from "./jobs.ts";
import { type Outcome, runPlan } from "./run-seed.ts";

process.on("message", async (job: Job) => {
  const bug = job.with === undefined ? undefined : changeNamed(job.with);
  const outcomes: Outcome[] = [];
  for (const seed of job.seeds) {
    const outcome = await runPlan(planOf(seed, job.profile, job.shares), { bug });
    outcomes.push(outcome);
    if (job.untilFailure && outcome.violations.length > 0) break;
  }
  process.send?.(outcomes);
});
