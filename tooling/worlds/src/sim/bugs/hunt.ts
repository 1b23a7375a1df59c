import { rm } from "node:fs/promises";
import { batches, SeedWorkers } from "../soak/jobs.ts";
import type { SoakOptions } from "../soak/options.ts";
import { brokenCopy } from "./broken-copy.ts";
import type { Bug } from "./bug.ts";
import { BUGS } from "./catalogue.ts";

/** How a bug was found. */
export interface Finding {
  readonly bug: string;
  readonly what: string;
  /** Seeds that were run until one failed, that one included; null when none of them did. */
  readonly seedsUntilFound: number | null;
  readonly rule: string | null;
}

/** Seeds run at a time: few, since most bugs are found soon. */
const BATCH = 20;

/** Runs the soak against each bug until a seed fails, or all have passed. */
export async function hunt(coreFolder: string, options: SoakOptions, say: (line: string) => void): Promise<Finding[]> {
  const bugs = BUGS.filter((bug) => options.only === undefined || options.only.includes(bug.name));
  const workers = new SeedWorkers(options.jobs);
  try {
    const findings: Finding[] = [];
    let next = 0;
    const hunters = Array.from({ length: options.jobs }, async () => {
      for (let bug = bugs[next++]; bug; bug = bugs[next++]) {
        const finding = await huntOne(workers, coreFolder, bug, options);
        say(
          `${bug.name}: ${finding.seedsUntilFound === null ? "NOT FOUND" : `${finding.seedsUntilFound} seeds`} ${finding.rule ?? ""}`,
        );
        findings.push(finding);
      }
    });
    await Promise.all(hunters);
    return bugs.flatMap((bug) => findings.filter((finding) => finding.bug === bug.name));
  } finally {
    workers.close();
  }
}

async function huntOne(workers: SeedWorkers, coreFolder: string, bug: Bug, options: SoakOptions): Promise<Finding> {
  const folder = await brokenCopy(coreFolder, bug);
  const { name, what } = bug;
  try {
    for (const seeds of batches(options.from, options.seeds, BATCH)) {
      const outcomes = await workers.run({
        coreFolder: folder,
        profile: options.profile,
        shares: bug.shares ?? options.shares,
        seeds,
        untilFailure: true,
      });
      const failed = outcomes.find((outcome) => outcome.violations.length > 0);
      if (!failed) continue;
      const rule = failed.violations[0]?.rule ?? null;
      return { bug: name, what, seedsUntilFound: failed.seed - options.from + 1, rule };
    }
    return { bug: name, what, seedsUntilFound: null, rule: null };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
