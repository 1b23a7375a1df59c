import { isDtError } from "../errors/dt-error.ts";

/**
 * The answer, or undefined where the call's own time was up: for a limiter whose `acquire` still answers so.
 * @param timeoutMs the call's own time
 */
export function orUndefined<T>(joined: Promise<T>, timeoutMs: number | undefined): Promise<T | undefined> {
  if (timeoutMs === undefined) return joined;
  return joined.catch((error: unknown) => {
    if (isDtError(error, "DT_TIMEOUT")) return undefined;
    throw error;
  });
}
