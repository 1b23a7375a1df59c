import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import { afterEach, describe, expect, it } from "vitest";
import type { Totals } from "../../src/check/totals.ts";
import { countTests, slowestFiles, type VitestReport } from "../../src/check/vitest-report.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Runs the real Vitest over one test file and counts its report. */
function countOf(test: string): Totals {
  const { report, hasFailed } = reportOf({ a: test });
  const { passed, failed, skipped } = countTests(report, hasFailed);
  return { passed, failed, skipped };
}

function reportOf(tests: Readonly<Record<string, string>>): { report: VitestReport; hasFailed: boolean } {
  const folder = mkdtempSync(join(tmpdir(), "dt-vitest-"));
  folders.push(folder);
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "test"));
  for (const [name, test] of Object.entries(tests))
    writeFileSync(join(folder, `test/${name}.test.js`), `import { beforeAll, expect, it } from "vitest";\n${test}`);
  const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--root", folder, "--reporter=json", "--outputFile.json=report.json"];
  const { status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as VitestReport;
  return { report, hasFailed: status !== 0 };
}

describe("the count of a Vitest run", () => {
  it("is what passed, failed and was skipped", () => {
    const test = 'it("a", () => {}); it("b", () => expect(1).toBe(2)); it.skip("c", () => {}); it.todo("d");';
    expect(countOf(test)).toEqual({ passed: 1, failed: 1, skipped: 2 });
  });

  it("has a failure for a file that does not load", () => {
    expect(countOf('throw new Error("broken file");')).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  it("has a failure for a hook that throws", () => {
    const totals = countOf('beforeAll(() => { throw new Error("hook"); }); it("a", () => {});');
    expect(totals.failed).toBe(1);
    expect(totals.passed).toBe(0);
  });

  it("has a failure for an unhandled rejection, although every test passed", () => {
    const totals = countOf('it("a", () => { Promise.reject(new Error("nobody waits")); });');
    expect(totals).toEqual({ passed: 1, failed: 1, skipped: 0 });
  });
});

it("what failed is named with its file and the first line of why", () => {
  const red = 'it("a", () => expect(1).toBe(2)); it("b", () => {});';
  const { report, hasFailed } = reportOf({
    red,
    broken: 'throw new Error("does not load");',
    green: 'it("c", () => {});',
  });
  const { failed, failures = [] } = countTests(report, hasFailed);
  expect(failed).toBe(2);
  expect(failures.toSorted()).toEqual([
    expect.stringMatching(/test\/broken\.test\.js: .*does not load/),
    expect.stringMatching(/test\/red\.test\.js: a: AssertionError: expected 1 to be 2/),
  ]);
});

it("the slowest files are those whose tests took longest, by their paths in the repository", () => {
  const slow = 'it("a", () => new Promise((resolve) => setTimeout(resolve, 300)));';
  const { report } = reportOf({ slow, quick: 'it("a", () => {});', broken: "syntax error" });
  const lines = slowestFiles([report], 2);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^ {4}0\.[3-9] s {2}.*test\/slow\.test\.js$/);
});
