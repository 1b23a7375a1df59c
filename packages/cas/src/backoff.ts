import { DtError, type Runtime } from "@dt/core";

/** The longest pause before another attempt, in milliseconds, and as a multiple of the time that an attempt takes. */
const LONGEST_PAUSE_MS = 250;
const LONGEST_PAUSE_ATTEMPTS = 8;

/** Waits at random, the longer the more attempts to compare and swap have failed and the longer one takes. */
export function pauseAfter(attempts: number, attemptTookMs: number, runtime: Runtime): Promise<void> {
  const longestMs = Math.min(LONGEST_PAUSE_MS, attemptTookMs * Math.min(attempts, LONGEST_PAUSE_ATTEMPTS));
  const delayMs = runtime.random() * longestMs;
  return new Promise((resolve) => runtime.setTimer(resolve, delayMs));
}

/** @param what it is that others have changed: `"the group"` */
export function contended(what: string, attempts: number): DtError {
  return new DtError(
    "DT_STORE_UNAVAILABLE",
    `others changed ${what} ${attempts} times in a row while this call tried to; nothing was done`,
  );
}

/** A call that nobody waited for any more when its turn came. @param what it is that it would have changed */
export function givenUp(what: string): DtError {
  return new DtError("DT_ABORTED", `no caller waits for this call of ${what} any more; nothing was done`);
}
