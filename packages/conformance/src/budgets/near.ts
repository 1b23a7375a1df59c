import type { CaseContext } from "../context.ts";

/** Sums of times near 1.7e12 ms are rounded by less. */
export const ROUNDING_MS = 0.01;

/** That a time is the one expected, but for the rounding of sums. */
export function near(context: CaseContext, actualMs: number, expectedMs: number, what: string): void {
  context.that(
    Math.abs(actualMs - expectedMs) <= ROUNDING_MS,
    `${what}: expected ${expectedMs} ms, received ${actualMs} ms`,
  );
}
