import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";

/** No slot was granted within a call's time. */
export function timeoutError(name: string, timeoutMs: number): DtError {
  return new DtError(
    "DT_TIMEOUT",
    `no slot of the concurrency limit ${describe(name)} within ${timeoutMs} ms: as much is in flight as may be; try again later, or wait longer`,
  );
}

/** No slot is free, and the call does not wait. */
export function limitedError(name: string): DtError {
  return new DtError(
    "DT_LIMITED",
    `the concurrency limit ${describe(name)} has no free slot: as much is in flight as may be; try again later, or wait`,
  );
}

/** The limit grants nothing more. */
export function stoppedError(name: string, state: "draining" | "stopped"): DtError {
  const what = state === "draining" ? "is being drained" : "was stopped";
  return new DtError("DT_STOPPED", `the concurrency limit ${describe(name)} ${what}; create a new one`);
}
