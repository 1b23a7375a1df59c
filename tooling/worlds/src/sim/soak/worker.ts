/** A worker process of the soak: runs the seeds it is sent, and answers with what came of them. */
import { type Core, loadCore } from "../engine/core.ts";
import { planOf } from "../plan/generate.ts";
import type { Job } from "./jobs.ts";
import { type Outcome, runPlan } from "./run-seed.ts";

const cores = new Map<string, Promise<Core>>();

process.on("message", async (job: Job) => {
  const loading = cores.get(job.coreFolder) ?? loadCore(job.coreFolder);
  cores.set(job.coreFolder, loading);
  const core = await loading;
  const outcomes: Outcome[] = [];
  for (const seed of job.seeds) {
    const outcome = await runPlan(core, planOf(seed, job.profile, job.shares));
    outcomes.push(outcome);
    if (job.untilFailure && outcome.violations.length > 0) break;
  }
  process.send?.(outcomes);
});
