import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.ts";
import type { Step, Write } from "../step.ts";
import { add, none, oneFailed } from "../totals.ts";
import { countTests, slowestFiles, type VitestReport } from "../vitest-report.ts";

/** A project of vitest.config.ts, and how it runs here. */
interface Project {
  readonly name: string;
  /** Files at a time. Those of `real` mostly wait: five at a time keep two cores busy. */
  readonly workers: number;
}

/**
 * One after the other. Side by side they kept both processors busy, and files that wait for servers met their own
 * deadlines, however far those that compute stood back (TRACK_RECORD.md, "The gate and the kit").
 */
const PROJECTS: readonly Project[] = [
  { name: "pure", workers: 2 },
  { name: "real", workers: 5 },
];

/**
 * Unit and integration tests, and which files took longest.
 *
 * @param paths only files whose absolute path contains one of these; none: every package's
 * @param after steps to wait for
 */
export function testStep(paths: readonly string[], after: readonly string[]): Step {
  return {
    name: "tests",
    after,
    run: async (write) => {
      const results: Awaited<ReturnType<typeof runProject>>[] = [];
      for (const project of PROJECTS) results.push(await runProject(project, paths, write));
      const reports = results.flatMap(({ report }) => report ?? []);
      write(`The slowest test files:\n${slowestFiles(reports, 10).join("\n")}\n`);
      return results.map(({ totals }) => totals).reduce(add, none);
    },
  };
}

async function runProject({ name, workers }: Project, paths: readonly string[], write: Write) {
  const folder = await mkdtemp(join(tmpdir(), "dt-tests-"));
  const file = join(folder, "report.json");
  const options = ["--allowOnly=false", "--passWithNoTests", `--project=${name}`, `--maxWorkers=${workers}`];
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  try {
    const problem = await run("vitest", ["run", ...options, ...reporters, ...paths], write);
    if (problem !== undefined) write(`tests: vitest ended with ${problem}\n`);
    const text = await readFile(file, "utf8").catch(() => undefined);
    if (text === undefined) return { totals: oneFailed }; // It crashed or was stopped, as printed above.
    const report = JSON.parse(text) as VitestReport;
    return { report, totals: countTests(report, problem !== undefined) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
