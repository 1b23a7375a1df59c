import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.ts";
import type { Step, Write } from "../step.ts";
import { takeTurns } from "../take-turns.ts";
import { add, none, oneFailed } from "../totals.ts";
import { countTests, slowestFiles, type VitestReport } from "../vitest-report.ts";

/** A project of vitest.config.ts, and how it runs here. */
interface Project {
  readonly name: string;
  /** Files at a time. */
  readonly workers: number;
  /** How far it stands back behind others that want a processor. */
  readonly niceness: number;
}

/**
 * They run at the same time: files that wait for servers leave the processors to those that compute, and those that
 * compute stand back, so that who waited is on time.
 */
const PROJECTS: readonly Project[] = [
  { name: "real", workers: 3, niceness: 0 },
  { name: "pure", workers: 1, niceness: 19 },
];

/**
 * Unit and integration tests, and which files took longest.
 *
 * @param paths only files whose absolute path contains one of these; none: every package's
 * @param after steps to wait for
 * @param realAfter further steps, which the project `real` waits for: what is timed there may not come too late, and
 *   `pure` stands back anyway
 */
export function testStep(paths: readonly string[], after: readonly string[], realAfter: readonly string[] = []): Step {
  return {
    name: "tests",
    after,
    run: async (write, ended) => {
      const turns = takeTurns(PROJECTS.length, write);
      const runs = PROJECTS.map(async (project, index) => {
        const { write, end } = turns[index] as (typeof turns)[number];
        if (project.name === "real") await Promise.all(realAfter.map(ended));
        const result = await runProject(project, paths, write);
        end();
        return result;
      });
      const results = await Promise.all(runs);
      const reports = results.flatMap(({ report }) => report ?? []);
      write(`The slowest test files:\n${slowestFiles(reports, 10).join("\n")}\n`);
      return results.map(({ totals }) => totals).reduce(add, none);
    },
  };
}

async function runProject({ name, workers, niceness }: Project, paths: readonly string[], write: Write) {
  const folder = await mkdtemp(join(tmpdir(), "dt-tests-"));
  const file = join(folder, "report.json");
  const options = ["--allowOnly=false", "--passWithNoTests", `--project=${name}`, `--maxWorkers=${workers}`];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  try {
    const args = ["-n", String(niceness), "vitest", "run", ...options, ...reporters, ...paths];
    const problem = await run("nice", args, write);
    if (problem !== undefined) write(`tests: vitest ended with ${problem}\n`);
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) return { totals: oneFailed }; // It crashed or was stopped, as printed above.
    const report = JSON.parse(text) as VitestReport;
    return { report, totals: countTests(report, problem !== undefined) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
