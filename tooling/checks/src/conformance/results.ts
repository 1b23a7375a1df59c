/** What the suite made of one target. */
export interface TargetResult {
  readonly name: string;
  readonly passed: number;
  /** Cases that failed; 1 when the target could not be started. */
  readonly failed: number;
  readonly skipped: readonly { readonly case: string; readonly why: string }[];
}

/** The whole run, as `--json` prints it. */
export interface Results {
  readonly targets: readonly TargetResult[];
}

/** Every target has passed at least one case and failed none. */
export function isSuccess({ targets }: Results): boolean {
  return targets.every(({ passed, failed }) => passed > 0 && failed === 0);
}

/** The run in words, a line for each target. */
export function resultsText({ targets }: Results): string {
  const width = Math.max(0, ...targets.map(({ name }) => name.length));
  const lines = targets.map(
    ({ name, passed, failed, skipped }) =>
      `${name.padEnd(width)}  ${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  );
  return `${lines.join("\n")}\n`;
}
