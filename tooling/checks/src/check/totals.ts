/** How many checks came out how. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** A line for each failure that has a name of its own; none where there is none. */
  readonly failures?: readonly string[];
}

export const none: Totals = { passed: 0, failed: 0, skipped: 0 };
export const onePassed: Totals = { ...none, passed: 1 };
export const oneFailed: Totals = { ...none, failed: 1 };
export const oneSkipped: Totals = { ...none, skipped: 1 };

export function add(a: Totals, b: Totals): Totals {
  const failures = [...(a.failures ?? []), ...(b.failures ?? [])];
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    ...(failures.length > 0 && { failures }),
  };
}

/** The last line of `npm test`. Tools read it: its form is fixed. */
export function lastLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** Nothing that passed is a failure too: a run in which no check ran proves nothing. */
export function isSuccess({ passed, failed }: Totals): boolean {
  return failed === 0 && passed > 0;
}
