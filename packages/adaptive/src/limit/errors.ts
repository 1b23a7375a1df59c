import { DtError } from "@dt/core";
import { describe } from "@dt/core/kit";

/** Nobody was served within the limit's own time. */
export function acquireTimeout(name: string, timeoutMs: number | undefined): DtError {
  return new DtError(
    "DT_ACQUIRE_TIMEOUT",
    `no slot of ${describe(name)} within acquireTimeout (${timeoutMs} ms); pass { timeout } to be answered undefined instead, or send less`,
  );
}

/** It grants nothing more. */
export function stoppedError(name: string, state: "draining" | "stopped"): DtError {
  const what = state === "draining" ? "is being drained" : "was stopped";
  return new DtError("DT_STOPPED", `the concurrency limit ${describe(name)} ${what}; create a new one`);
}
