import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@dt-tooling/build-config";
import { afterEach, describe, expect, it } from "vitest";
import type { Totals } from "../src/totals.ts";
import { countTests, type VitestReport } from "../src/vitest-report.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Runs the real Vitest over one test file and counts its report. */
function countOf(test: string): Totals {
  const folder = mkdtempSync(join(tmpdir(), "dt-vitest-"));
  folders.push(folder);
  symlinkSync(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "test"));
  writeFileSync(join(folder, "test/a.test.js"), `import { beforeAll, expect, it } from "vitest";\n${test}`);
  const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--root", folder, "--reporter=json", "--outputFile.json=report.json"];
  const { status } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as VitestReport;
  return countTests(report, status !== 0);
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
