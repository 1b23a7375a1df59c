import { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";
import type { PacerSettings } from "./pacer-options.ts";

/** What is known of a call that had no permit in time. */
interface NotInTime {
  /** How long it could have waited. */
  readonly timeoutMs: number | undefined;
  /** When its permit is due, in milliseconds from now; undefined while the store has not answered. */
  readonly retryAfterMs: number | undefined;
  /** Permits that came too late to be used while it waited. */
  readonly wasted: number;
}

/** No permit came within the time of a call. */
export function notInTime(
  { name, permitTtlMs }: PacerSettings,
  { timeoutMs, retryAfterMs, wasted }: NotInTime,
): DtError<"DT_TIMEOUT"> {
  const why = retryAfterMs === undefined ? "the store has not answered" : `one is due in ${whole(retryAfterMs)} ms`;
  const late =
    wasted > 0
      ? `; meanwhile ${wasted} came later than permitTtl (${permitTtlMs} ms) or found no caller: raise it`
      : "";
  const message = `no permit of the pacer ${describe(name)} within ${timeoutMs} ms: ${why}; wait longer, or raise the rate`;
  return new DtError("DT_TIMEOUT", message + late, retryAfterMs === undefined ? {} : { retryAfterMs });
}

/** A pacer that ends refuses callers. */
export function stoppedError(name: string, what: "is being drained" | "was stopped"): DtError {
  return new DtError("DT_STOPPED", `the pacer ${describe(name)} ${what}; create a new one`);
}

/** No permit is free, and the call does not wait for one. */
export function limited(name: string, retryAfterMs: number): DtError {
  const message = `no permit of the pacer ${describe(name)} is free; the next is due in ${whole(retryAfterMs)} ms`;
  return new DtError("DT_LIMITED", message, { retryAfterMs });
}

function whole(ms: number): number {
  return Math.ceil(ms);
}
