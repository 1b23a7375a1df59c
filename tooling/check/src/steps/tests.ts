import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../child.ts";
import type { Step } from "../step.ts";
import { oneFailed } from "../totals.ts";
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
        "--allowOnly=false",
        "--reporter=default",
        "--reporter=json",
        `--outputFile.json=${file}`,
      ]);
      if (problem !== undefined) process.stdout.write(`tests: vitest ended with ${problem}\n`);
      const text = await readFile(file, "utf8").catch(() => undefined);
      if (text === undefined) return oneFailed; // It crashed or was stopped, as printed above.
      return countTests(JSON.parse(text) as VitestReport, problem !== undefined);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
