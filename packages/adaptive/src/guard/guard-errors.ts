import { DtError, type DtErrorDetails } from "@dt/core";
import { describe } from "@dt/core/internal";

/** No call was let through within its time. */
export function timeoutError(name: string, timeoutMs: number, pausedForMs: number, cause?: DtError): DtError {
  const why =
    pausedForMs > 0 ? `it is paused for another ${Math.ceil(pausedForMs)} ms` : (cause?.message ?? "others come first");
  return new DtError(
    "DT_TIMEOUT",
    `the guard ${describe(name)} let no call through within ${timeoutMs} ms: ${why}`,
    details(pausedForMs > 0 ? pausedForMs : cause?.retryAfterMs, cause),
  );
}

/** No call is let through now, and the caller does not wait. */
export function limitedError(name: string, pausedForMs: number, cause?: DtError): DtError {
  const why =
    pausedForMs > 0 ? `it is paused for another ${Math.ceil(pausedForMs)} ms` : (cause?.message ?? "others come first");
  return new DtError(
    "DT_LIMITED",
    `the guard ${describe(name)} lets no call through now: ${why}`,
    details(pausedForMs > 0 ? pausedForMs : cause?.retryAfterMs, cause),
  );
}

/** The guard lets nothing through any more. */
export function stoppedError(name: string, state: "draining" | "stopped"): DtError {
  const what = state === "draining" ? "is being drained" : "was stopped";
  return new DtError("DT_STOPPED", `the guard ${describe(name)} ${what}; create a new one`);
}

function details(retryAfterMs: number | undefined, cause: DtError | undefined): DtErrorDetails {
  return {
    ...(cause === undefined ? {} : { cause }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
