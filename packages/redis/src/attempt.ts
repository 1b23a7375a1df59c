import { DtError, isDtError } from "@dt/core";
import { noConnection } from "./errors/no-connection.ts";
import { clientError } from "./errors/server-error.ts";

/** One call to the server. Whether it was handed to the client decides what its failure may mean. */
export interface Attempt {
  /** What is being done, for messages: `"redis sync"`. */
  readonly what: string;
  sent: boolean;
}

/** What fails calls that are under way when the store is closed. */
export const CLOSED = Symbol("closed");

/**
 * The error that a call ends with. The effect is `unknown` only when the command was handed to the client and the
 * server did not say that nothing ran.
 *
 * @param lastError why there was no connection, as far as it is known
 */
export function attemptError(error: unknown, attempt: Attempt, lastError: unknown): DtError {
  const effect = attempt.sent ? "unknown" : "definite";
  if (error === CLOSED) return closedError(attempt.what, effect);
  if (!isDtError(error)) return clientError(attempt.what, error);
  if (attempt.sent || error.effect === "definite") return error;
  if (error.code !== "DT_STORE_TIMEOUT") return new DtError(error.code, error.message, { cause: error.cause });
  // Nothing is wrong as far as is known: many connect at once, or the network is silent.
  if (lastError === undefined)
    return new DtError("DT_STORE_TIMEOUT", `${attempt.what} failed: no connection within the deadline`, {
      cause: error,
    });
  return noConnection(attempt.what, lastError);
}

export function closedError(what: string, effect: "definite" | "unknown" = "definite"): DtError {
  return new DtError("DT_STORE_CLOSED", `${what} failed: the store is closed; create a new one`, { effect });
}
