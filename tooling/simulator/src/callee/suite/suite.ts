import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Verdict } from "../judge.ts";
import type { SuiteOptions } from "./options.ts";
import { type SuiteResult, summarise } from "./results.ts";
import type { Job } from "./run-job.ts";

/** Runs every job on a few threads; results are in the order of the options, whatever the number of threads. */
export async function runSuite(
  options: SuiteOptions,
  progress: (done: number, of: number) => void,
): Promise<SuiteResult[]> {
  const { scenarios, algorithms, seeds } = options;
  const groups = scenarios.flatMap((scenario) => algorithms.map((algorithm) => ({ scenario, algorithm })));
  const jobs = groups.flatMap((group) =>
    Array.from({ length: seeds }, (_, index): Job => ({ ...group, seed: index + 1 })),
  );
  const verdicts = await runJobs(jobs, Math.min(options.jobs, jobs.length), progress);
  return groups.map(({ scenario, algorithm }, index) =>
    summarise(scenario, algorithm, verdicts.slice(index * seeds, (index + 1) * seeds)),
  );
}

async function runJobs(
  jobs: readonly Job[],
  threads: number,
  progress: (done: number, of: number) => void,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    try {
      while (next < jobs.length) {
        const index = next++;
        worker.postMessage(jobs[index]);
        const [verdict] = (await once(worker, "message")) as [Verdict];
        verdicts[index] = verdict;
        done += 1;
        progress(done, jobs.length);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: threads }, work));
  return verdicts;
}
