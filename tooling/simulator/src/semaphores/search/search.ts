import { Workers } from "../../fleet/engine/workers.ts";
import { batches } from "../../fleet/soak/jobs.ts";
import { bugNamed, SLOT_BUGS } from "./bugs/catalogue.ts";
import type { NamedStates } from "./in-flight.ts";
import { HELP, parseOptions, type SearchOptions } from "./options.ts";
import { replay, showShortest } from "./replay.ts";
import type { Outcome } from "./run-seed.ts";
import type { Job } from "./worker.ts";

/** Failing seeds whose shortest schedule is shown without being asked for. */
const SHOWN = 3;

/**
 * Runs seeds, one seed, or the seeded bugs. Returns the exit code.
 * @param args of the command line
 * @throws TypeError for options that make no sense
 */
export async function search(
  args: readonly string[],
  print: (text: string) => void,
  say: (line: string) => void,
): Promise<number> {
  const options = parseOptions(args);
  if (options.with !== undefined) bugNamed(options.with);
  if (options.command === "help") {
    print(HELP);
    return 0;
  }
  if (options.command === "bugs") return huntAll(options, say);
  if (options.seed !== undefined) {
    const outcome = await replay(options.seed, options, options.json ? say : (line) => print(`${line}\n`));
    if (options.json) print(`${JSON.stringify(outcome)}\n`);
    return outcome.violations.length > 0 ? 1 : 0;
  }
  const summary = summarise(options, await runSeeds(options, say));
  for (const seed of summary.failingSeeds.slice(0, SHOWN)) await showShortest(seed, options, say);
  print(`${JSON.stringify(summary, null, options.json ? 0 : 2)}\n`);
  return summary.above > 0 ? 1 : 0;
}

/** What a search reports. */
interface Summary extends Pick<SearchOptions, "profile" | "store"> {
  readonly seeds: number;
  /** Calls that began. */
  readonly begun: number;
  /** Seeds with a violation. */
  readonly above: number;
  readonly failingSeeds: readonly number[];
  /** Calls that began while more than `max` were in flight, by named state, and the seeds with such calls. */
  readonly states: Readonly<Record<keyof NamedStates, { readonly calls: number; readonly seeds: number }>>;
}

function summarise({ profile, store }: SearchOptions, outcomes: readonly Outcome[]): Summary {
  const failing = outcomes.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
  const inState = (name: keyof NamedStates): { calls: number; seeds: number } => ({
    calls: outcomes.reduce((sum, { states }) => sum + states[name], 0),
    seeds: outcomes.filter(({ states }) => states[name] > 0).length,
  });
  return {
    profile,
    store,
    seeds: outcomes.length,
    begun: outcomes.reduce((sum, { begun }) => sum + begun, 0),
    above: failing.length,
    failingSeeds: failing.sort((a, b) => a - b),
    states: { n1: inState("n1"), n2: inState("n2"), n3: inState("n3"), n4: inState("n4") },
  };
}

async function runSeeds(options: SearchOptions, say: (line: string) => void): Promise<Outcome[]> {
  const { profile, store, from, seeds: count } = options;
  const outcomes: Outcome[] = [];
  let told = 0;
  await withWorkers(options.jobs, async (run) => {
    await Promise.all(
      batches(from, count).map(async (seeds) => {
        for (const outcome of await run({ profile, store, with: options.with, seeds, untilFailure: false })) {
          outcomes.push(outcome);
          const [first] = outcome.violations;
          if (first) say(`seed ${outcome.seed}: ${first.rule} at ${first.atMs.toFixed(1)} ms: ${first.detail}`);
        }
        if (outcomes.length - told < count / 10) return;
        told = outcomes.length;
        say(`${told} of ${count} seeds`);
      }),
    );
  });
  return outcomes;
}

/** Runs each bug where it shows until a seed fails, or all have passed. */
async function huntAll({ from, seeds: count, jobs }: SearchOptions, say: (line: string) => void): Promise<number> {
  let missed = 0;
  await withWorkers(jobs, (run) =>
    Promise.all(
      SLOT_BUGS.map(async (bug) => {
        const { name, profile = "ignored", on = "V1" } = bug;
        for (const seeds of batches(bug.from ?? from, count, 20)) {
          const found = (await run({ profile, store: on, with: name, seeds, untilFailure: true })).at(-1);
          const [first] = found?.violations ?? [];
          if (first) return say(`${name}: seed ${found?.seed}, ${first.rule}`);
        }
        missed += 1;
        say(`${name}: NOT FOUND`);
      }),
    ),
  );
  return missed > 0 ? 1 : 0;
}

async function withWorkers(
  jobs: number,
  use: (run: (job: Job) => Promise<readonly Outcome[]>) => Promise<unknown>,
): Promise<void> {
  const workers = new Workers<Job, readonly Outcome[]>(jobs, new URL("./worker.ts", import.meta.url));
  try {
    await use((job) => workers.run(job, `seeds ${job.seeds[0]} and on`));
  } finally {
    workers.close();
  }
}
