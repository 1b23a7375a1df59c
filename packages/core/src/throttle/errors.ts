import { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";

/** Nobody was served within the throttle's own time. */
export function acquireTimeout(name: string, timeoutMs: number | undefined, blocked: string | undefined): DtError {
  const why = blocked === undefined ? "" : `; ${blocked}`;
  return new DtError(
    "DT_TIMEOUT",
    `no token of the throttle ${describe(name)} within acquireTimeout (${timeoutMs} ms); pass { timeout } to be answered undefined instead, or raise max${why}`,
  );
}

/** Another process has this one's id. */
export function fencedError(memberId: string): DtError {
  return new DtError(
    "DT_MEMBER_FENCED",
    `memberId ${describe(memberId)} was registered by another process; give every process its own, or leave it out`,
  );
}
