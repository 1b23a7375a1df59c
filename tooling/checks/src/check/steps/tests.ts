import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.ts";
import type { Step, Write } from "../step.ts";
import { add, none, oneFailed, type Totals } from "../totals.ts";
import { countTests, slowestFiles, type VitestReport } from "../vitest-report.ts";

/** One run of Vitest, by its arguments. */
export interface Run {
  readonly args: readonly string[];
  /** Files at a time. */
  readonly workers: number;
}

/**
 * The projects of vitest.config.ts, one after the other. Side by side they kept both processors busy, and files that
 * wait for servers met their own deadlines, however far those that compute stood back.
 */
const PROJECTS: readonly Run[] = [
  { args: ["--project=pure"], workers: 2 },
  // These mostly wait. More at a time end sooner, and make each other late.
  { args: ["--project=real"], workers: 3 },
];

/**
 * Unit and integration tests, and which files took longest.
 *
 * @param paths only files whose absolute path contains one of these; none: every package's
 * @param after steps to wait for
 */
export function testStep(paths: readonly string[], after: readonly string[]): Step {
  return { name: "tests", after, run: (write) => runVitest(PROJECTS, paths, write) };
}

/** Runs Vitest, and writes which files took longest. */
export async function runVitest(runs: readonly Run[], paths: readonly string[], write: Write): Promise<Totals> {
  const results: Result[] = [];
  for (const one of runs) results.push(await runOnce(one, paths, write));
  const reports = results.flatMap(({ report }) => report ?? []);
  write(`The slowest test files:\n${slowestFiles(reports, 10).join("\n")}\n`);
  return results.map(({ totals }) => totals).reduce(add, none);
}

interface Result {
  readonly totals: Totals;
  /** Undefined when Vitest wrote none. */
  readonly report?: VitestReport;
}

async function runOnce({ args, workers }: Run, paths: readonly string[], write: Write): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "dt-tests-"));
  const file = join(folder, "report.json");
  const options = ["--allowOnly=false", "--passWithNoTests", `--maxWorkers=${workers}`];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  try {
    const problem = await run("vitest", ["run", ...args, ...options, ...reporters, ...paths], write);
    if (problem !== undefined) write(`tests: vitest ended with ${problem}\n`);
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) return { totals: oneFailed }; // It crashed or was stopped, as printed above.
    const report = JSON.parse(text) as VitestReport;
    return { report, totals: countTests(report, problem !== undefined) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
