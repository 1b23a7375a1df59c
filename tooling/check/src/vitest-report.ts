import type { Totals } from "./totals.ts";

/** The parts of the report of Vitest's JSON reporter that are counted. */
export interface VitestReport {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * Counts a report. A file that failed outside its tests (it does not load, a hook threw) counts as one more failure, and so
 * does a run that failed although no test did (an unhandled rejection, a leaked worker).
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
  };
}
