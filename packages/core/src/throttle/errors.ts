import { DtError } from "../errors/dt-error.ts";
import { describe } from "../options/duration.ts";

/** Nobody was served in time. `option` is what set the time. */
export function acquireTimeout(group: string, option: "acquireTimeout" | "timeout", timeoutMs: number): DtError {
  const remedy = option === "timeout" ? "raise it" : "pass { timeout } to be answered 0 instead";
  return new DtError(
    "DT_ACQUIRE_TIMEOUT",
    `no token of group ${describe(group)} within ${option} (${timeoutMs} ms); ${remedy}, or raise max`,
  );
}

/** Another process has this one's id. */
export function fencedError(processorId: string): DtError {
  return new DtError(
    "DT_PROCESSOR_FENCED",
    `processorId ${describe(processorId)} was registered by another process; give every process its own, or leave it out`,
  );
}
