/** What the suite made of one target. */
export interface TargetResult {
  readonly name: string;
  readonly passed: number;
  /** Cases that failed; 1 when the target could not be started. */
  readonly failed: number;
  readonly skipped: readonly { readonly case: string; readonly why: string }[];
}

/** What the suite made of the stores that are broken on purpose. */
export interface MutantResult {
  readonly total: number;
  /** Those that a case failed which names the right rule. */
  readonly rejected: number;
}

/** The whole run, as `--json` prints it. */
export interface Results {
  readonly targets: readonly TargetResult[];
  /** null when they were left out. */
  readonly mutants: MutantResult | null;
}

/** Every target has passed at least one case and failed none, and no mutant got through. */
export function isSuccess({ targets, mutants }: Results): boolean {
  const kept = targets.every(({ passed, failed }) => passed > 0 && failed === 0);
  return kept && (mutants === null || (mutants.total > 0 && mutants.rejected === mutants.total));
}

/** The run in words, a line for each target. */
export function resultsText({ targets, mutants }: Results): string {
  const width = Math.max(0, ...targets.map(({ name }) => name.length));
  const lines = targets.map(
    ({ name, passed, failed, skipped }) =>
      `${name.padEnd(width)}  ${passed} passed, ${failed} failed, ${skipped.length} skipped`,
  );
  if (mutants) lines.push(`${"mutants".padEnd(width)}  ${mutants.rejected} of ${mutants.total} rejected`);
  return `${lines.join("\n")}\n`;
}
