import { batches, SeedWorkers } from "./jobs.ts";
import type { SoakOptions } from "./options.ts";
import type { Outcome } from "./run-seed.ts";

/** Runs many seeds over worker processes, telling how it goes on standard error. */
export async function soak(options: SoakOptions, say: (line: string) => void): Promise<Outcome[]> {
  const workers = new SeedWorkers(options.jobs);
  const outcomes: Outcome[] = [];
  let told = 0;
  try {
    await Promise.all(
      batches(options.from, options.seeds).map(async (seeds) => {
        const done = await workers.run({
          with: options.with,
          profile: options.profile,
          shares: options.shares,
          seeds,
          untilFailure: false,
        });
        for (const outcome of done) {
          outcomes.push(outcome);
          const [first] = outcome.violations;
          if (first) say(`seed ${outcome.seed}: ${first.rule} at ${first.atMs.toFixed(1)} ms: ${first.detail}`);
        }
        if (outcomes.length - told >= options.seeds / 10) {
          told = outcomes.length;
          say(`${told} of ${options.seeds} seeds`);
        }
      }),
    );
  } finally {
    workers.close();
  }
  return outcomes;
}
