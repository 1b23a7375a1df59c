import { retryDelayOf } from "../answer/retry-info.ts";
import type { Ended, Rule } from "./classify.ts";
import { errorsOf } from "./classify.ts";
import type { Outcome } from "./outcome.ts";

/**
 * By status code of gRPC. Too much, or no answer in time: DEADLINE_EXCEEDED (4), RESOURCE_EXHAUSTED (8), UNAVAILABLE
 * (14). Broken: UNKNOWN (2), ABORTED (10), UNIMPLEMENTED (12), INTERNAL (13), DATA_LOSS (15). The others speak of the
 * request (INVALID_ARGUMENT, NOT_FOUND, ...), or the call was CANCELLED (1) by us.
 */
const OUTCOMES: Readonly<Record<number, Outcome>> = {
  0: "success",
  1: "ignored",
  2: "failure",
  3: "ignored",
  4: "overload",
  5: "ignored",
  6: "ignored",
  7: "ignored",
  8: "overload",
  9: "ignored",
  10: "failure",
  11: "ignored",
  12: "failure",
  13: "failure",
  14: "overload",
  15: "failure",
  16: "ignored",
};

/**
 * Knows errors of gRPC clients: a numeric `code` from 0 to 16 with `details` (grpc-js, nice-grpc), `rawMessage`
 * (Connect) or `metadata` beside it. Other errors have numeric codes as well: those of the DOM, or of system calls. It
 * reads `google.rpc.RetryInfo` and `grpc-retry-pushback-ms`.
 */
export const grpcOutcome: Rule = (ended) => {
  const code = grpcCode(ended);
  const outcome = code === undefined ? undefined : OUTCOMES[code];
  if (outcome === undefined) return undefined;
  const retryAfterMs = retryDelayOf(ended);
  // UNAVAILABLE is also what a connection that is refused is called.
  const refused = code === RESOURCE_EXHAUSTED || (outcome === "overload" && retryAfterMs !== undefined);
  return refused || retryAfterMs !== undefined ? { outcome, refused, retryAfterMs } : outcome;
};

const RESOURCE_EXHAUSTED = 8;

/** The status code of an error of a gRPC client; undefined for other errors. */
export function grpcCode(ended: Ended): number | undefined {
  for (const error of errorsOf(ended)) {
    const { code } = error;
    if (typeof code === "number" && ("details" in error || "rawMessage" in error || "metadata" in error)) return code;
  }
  return undefined;
}
