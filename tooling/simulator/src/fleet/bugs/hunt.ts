import { batches, SeedWorkers } from "../soak/jobs.ts";
import type { SoakOptions } from "../soak/options.ts";
import type { Bug } from "./bug.ts";
import { BUGS } from "./catalogue.ts";

/** How a bug was found. */
export interface Finding {
  readonly bug: string;
  readonly what: string;
  /** The first seed that shows it; null when none of those tried did. */
  readonly seed: number | null;
  readonly rule: string | null;
}

/** Seeds run at a time: few, since most bugs are found soon. */
const BATCH = 20;

/** Runs the soak against each bug until a seed fails, or all have passed. */
export async function hunt(options: SoakOptions, say: (line: string) => void): Promise<Finding[]> {
  const bugs = BUGS.filter((bug) => options.only === undefined || options.only.includes(bug.name));
  const workers = new SeedWorkers(options.jobs);
  try {
    const findings: Finding[] = [];
    let next = 0;
    const hunters = Array.from({ length: options.jobs }, async () => {
      for (let bug = bugs[next++]; bug; bug = bugs[next++]) {
        const finding = await huntOne(workers, bug, options);
        say(`${bug.name}: ${finding.seed === null ? "NOT FOUND" : `seed ${finding.seed}, ${finding.rule}`}`);
        findings.push(finding);
      }
    });
    await Promise.all(hunters);
    return bugs.flatMap((bug) => findings.filter((finding) => finding.bug === bug.name));
  } finally {
    workers.close();
  }
}

async function huntOne(workers: SeedWorkers, bug: Bug, options: SoakOptions): Promise<Finding> {
  const { name, what, from = options.from } = bug;
  for (const seeds of batches(from, options.seeds, BATCH)) {
    const outcomes = await workers.run({
      with: name,
      profile: bug.profile ?? options.profile,
      shares: bug.shares ?? options.shares,
      seeds,
      untilFailure: true,
    });
    const failed = outcomes.find((outcome) => outcome.violations.length > 0);
    if (!failed) continue;
    const rule = failed.violations[0]?.rule ?? null;
    return { bug: name, what, seed: failed.seed, rule };
  }
  return { bug: name, what, seed: null, rule: null };
}
