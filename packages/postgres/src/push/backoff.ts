import type { Runtime } from "@dt/core";

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 500;

/** Try again after 50 to 500 ms, the delay doubled each time and halved at random at most, for as long as it takes. */
export function backoffMs(attempt: number, runtime: Runtime): number {
  const delayMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_RETRY_MS);
  return delayMs * (0.5 + runtime.random() / 2);
}
