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

/** The limit was stopped while a call was in flight. */
export function lostError(name: string): DtError {
  return new DtError("DT_SLOT_LOST", `the concurrency limit ${describe(name)} was stopped: end the call of this slot`);
}

/** A slot was not settled within `maxHold`. */
export function overdueError(name: string, heldMs: number): DtError {
  return new DtError(
    "DT_SLOT_OVERDUE",
    `a slot of the concurrency limit ${describe(name)} was not settled within maxHold: another call may have its place after ${Math.round(heldMs)} ms; end the call, or raise maxHold`,
  );
}
