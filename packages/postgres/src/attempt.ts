import { DtError, isDtError } from "@dt/core";
import { driverError } from "./errors/driver-error.ts";

/** One call to the server. Whether its statement was handed to a connection decides what its failure may mean. */
export interface Attempt {
  /** What is being done, for messages: `"postgres sync"`. */
  readonly what: string;
  sent: boolean;
}

/** What fails calls that are under way when the store is closed. */
export const CLOSED = Symbol("closed");

/**
 * The error that a call ends with. The effect is `unknown` only when the statement was sent and the server did not say
 * that it failed.
 */
export function attemptError(error: unknown, attempt: Attempt): DtError {
  if (error === CLOSED) return closedError(attempt);
  if (!isDtError(error)) return driverError(attempt, error);
  if (attempt.sent || error.effect === "definite") return error;
  if (error.code !== "DT_STORE_TIMEOUT") return new DtError(error.code, error.message, { cause: error.cause });
  // As far as is known nothing is wrong: many connect at once, or the network is silent.
  const problem = "no connection was free, or the server did not answer, within the deadline";
  return new DtError("DT_STORE_TIMEOUT", `${attempt.what} failed: ${problem}`, { cause: error, effect: "definite" });
}

export function closedError({ what, sent }: Attempt): DtError {
  return new DtError("DT_STORE_CLOSED", `${what} failed: the store is closed; create a new one`, {
    effect: sent ? "unknown" : "definite",
  });
}
