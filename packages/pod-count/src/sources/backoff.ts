import type { Runtime } from "@dt/core";

const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/**
 * How long to wait after so many failures in a row: doubling, with jitter so that a fleet does not come back in one
 * instant.
 */
export function backoffMs(failures: number, runtime: Runtime): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10)) * (0.5 + runtime.random() / 2);
}

/**
 * How much longer than its regular period an answer is used, so that one or two failed attempts (and the waits after
 * them) change nothing.
 */
export const GRACE_MS = 5_000;
