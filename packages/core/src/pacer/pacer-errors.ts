import { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";
import type { PacerSettings } from "./pacer-options.ts";

/** No permit came within the pacer's own time, while `wasted` came too late to be used. */
export function acquireTimeout({ name, acquireTimeoutMs, permitTtlMs }: PacerSettings, wasted: number): DtError {
  const late =
    wasted > 0 ? `; meanwhile ${wasted} came later than permitTtl (${permitTtlMs} ms) or to nobody: raise it` : "";
  return new DtError(
    "DT_TIMEOUT",
    `no permit of the pacer ${describe(name)} within acquireTimeout (${acquireTimeoutMs} ms); pass { timeout } to be answered undefined instead, or raise the rate${late}`,
  );
}

/** Who comes now is refused. */
export function stoppedError(name: string, what: "is being drained" | "was stopped"): DtError {
  return new DtError("DT_STOPPED", `the pacer ${describe(name)} ${what}; create a new one`);
}

/** No permit is free, and the caller wants none of later. */
export function limited(retryAfterMs: number): DtError {
  const message = `no permit is free; the next is due in ${Math.ceil(retryAfterMs)} ms`;
  return new DtError("DT_LIMITED", message, { retryAfterMs });
}
