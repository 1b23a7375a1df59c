import { Workers } from "../engine/workers.ts";
import type { Profile, Shares } from "../plan/plan.ts";
import type { Outcome } from "./run-seed.ts";

/** What a worker process is asked to do. */
export interface Job {
  /** The change that is put in, by name. */
  readonly with: string | undefined;
  readonly profile: Profile;
  readonly shares: Shares;
  readonly seeds: readonly number[];
  /** Ends with the first seed that violates something. */
  readonly untilFailure: boolean;
}

/** How many seeds a worker takes at a time. */
const BATCH = 50;

/** A fixed number of worker processes that run seeds. */
export class SeedWorkers {
  readonly #workers: Workers<Job, readonly Outcome[]>;

  constructor(count: number) {
    this.#workers = new Workers(count, new URL("./worker.ts", import.meta.url));
  }

  /** Runs one batch on whichever worker is free. */
  run(job: Job): Promise<readonly Outcome[]> {
    return this.#workers.run(job, `seeds ${job.seeds[0]} and on`);
  }

  close(): void {
    this.#workers.close();
  }
}

/** Seeds `from` to `from + count - 1` in batches. */
export function batches(from: number, count: number, size = BATCH): number[][] {
  const result: number[][] = [];
  for (let start = from; start < from + count; start += size)
    result.push(Array.from({ length: Math.min(size, from + count - start) }, (_, index) => start + index));
  return result;
}
