import { type DtError, isDtError } from "../errors/dt-error.ts";

/** True for an error of one request of several: nothing of its bucket was changed, and the others are served. */
export function isOwnRefusal(error: unknown): error is DtError {
  return isDtError(error, "DT_PACE_MISMATCH") || isDtError(error, "DT_STORE_DATA");
}
