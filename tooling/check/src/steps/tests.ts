import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.ts";
import type { Step } from "../step.ts";
import { oneFailed } from "../totals.ts";
import { countTests, slowestFiles, type VitestReport } from "../vitest-report.ts";

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
      const folder = await mkdtemp(join(tmpdir(), "dt-tests-"));
      const file = join(folder, "report.json");
      const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
      try {
        const problem = await run("vitest", ["run", "--allowOnly=false", ...reporters, ...paths], write);
        if (problem !== undefined) write(`tests: vitest ended with ${problem}\n`);
        const text = await readFile(file, "utf8").catch(() => undefined);
        if (text === undefined) return oneFailed; // It crashed or was stopped, as printed above.
        const report = JSON.parse(text) as VitestReport;
        write(`The slowest test files:\n${slowestFiles(report, 10).join("\n")}\n`);
        return countTests(report, problem !== undefined);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
