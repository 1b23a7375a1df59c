import { relative } from "node:path";
import { repositoryRoot } from "@dt-tooling/bootstrap";
import type { Totals } from "./totals.ts";

/** The parts of the report of Vitest's JSON reporter that are counted. */
export interface VitestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    /** Absolute path. */
    readonly name: string;
    /** When its tests began, in milliseconds. */
    readonly startTime: number;
    readonly endTime: number;
    readonly status: string;
    /** Why the file itself failed. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/**
 * Counts a report. A file that failed outside its tests (it does not load, a hook threw) counts as one more failure,
 * and so does a run that failed although no test did (an unhandled rejection, a leaked worker).
 *
 * @param hasFailed whether Vitest's exit code says that the run failed.
 */
export function countTests(report: VitestReport, hasFailed: boolean): Totals {
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((assertion) => assertion.status === "failed"),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  const unexplained = failed === 0 && (hasFailed || !report.success) ? 1 : 0;
  return {
    passed: report.numPassedTests,
    failed: failed + unexplained,
    skipped: report.numPendingTests + report.numTodoTests,
    ...(failed > 0 && { failures: failuresOf(report) }),
  };
}

/** A line for each test that failed, and for each file that failed outside its tests: where, which, and why. */
function failuresOf({ testResults }: VitestReport): string[] {
  return testResults.flatMap(({ name, status, message = "", assertionResults }) => {
    const file = relative(repositoryRoot, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    if (failed.length === 0) return status === "failed" ? [`${file}: ${firstLine(message)}`] : [];
    return failed.map(({ fullName, failureMessages }) => `${file}: ${fullName}: ${firstLine(failureMessages?.[0])}`);
  });
}

function firstLine(message = ""): string {
  return (message.split("\n", 1)[0] ?? "").slice(0, 300);
}

/** A line for each of the files whose tests took longest, the longest first. */
export function slowestFiles(reports: readonly VitestReport[], count: number): string[] {
  return reports
    .flatMap(({ testResults }) => testResults)
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, count)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${relative(repositoryRoot, name)}`);
}
