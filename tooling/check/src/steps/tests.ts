import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.ts";
import type { Step } from "../step.ts";

import { countTests, type VitestReport } from "../vitest-report.ts";

/** Unit and integration tests of every package. */
export const tests: Step = {
  name: "tests",
  run: async () => {
    const folder = await mkdtemp(join(tmpdir(), "dt-tests-"));
    const file = join(folder, "report.json");
    try {
      const problem = await run("vitest", [
        "run",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${file}`,
      ]);
      if (problem !== undefined) process.stdout.write(`tests: vitest ended with ${problem}\n`);
      const report = JSON.parse(await readFile(file, "utf8")) as VitestReport;
      return countTests(report, problem !== undefined);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
