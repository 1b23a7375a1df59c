import type { Ended, Rule, Verdict } from "./classify.ts";
import { errorsOf } from "./classify.ts";
import { statusOutcome, verdictWith } from "./http.ts";
import type { Outcome } from "./outcome.ts";

/** What AWS services call it when there is too much of us, as their own SDKs list it. */
const THROTTLING = new Set([
  "BandwidthLimitExceeded",
  "EC2ThrottledException",
  "LimitExceededException",
  "PriorRequestNotComplete",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "RequestThrottledException",
  "SlowDown",
  "ThrottledException",
  "Throttling",
  "ThrottlingException",
  "TooManyRequestsException",
  "TransactionInProgressException",
]);

/** And when the answer did not come in time. */
const TIMEOUT = new Set(["TimeoutError", "RequestTimeout", "RequestTimeoutException"]);

/** What an error of the AWS SDK is called, whichever version made it; undefined for other errors. */
function nameIn(error: Readonly<Record<string, unknown>>): string | undefined {
  const { name, code, statusCode, $metadata, $fault } = error;
  if (typeof $metadata === "object" || typeof $fault === "string") return String(name);
  return typeof code === "string" && typeof statusCode === "number" ? code : undefined;
}

/** True for an error of the AWS SDK that says that the answer did not come in time. */
export function awsTimeout(ended: Ended): boolean {
  for (const error of errorsOf(ended)) if (TIMEOUT.has(nameIn(error) ?? "")) return true;
  return false;
}

/**
 * Knows errors of the AWS SDK for JavaScript: those with `$metadata` or `$fault` (version 3) and with `statusCode` and
 * a `code` (version 2). Throttling and timeouts by their names are `overload`, although many come with status 400; the
 * rest goes by its HTTP status. It reads `Retry-After` where the headers are there.
 */
export const awsOutcome: Rule = (ended) => {
  for (const error of errorsOf(ended)) {
    const called = nameIn(error);
    if (called === undefined) continue;
    const { statusCode, $metadata, $retryable, $response, headers: own } = error;
    const throttling = ($retryable as { readonly throttling?: unknown } | undefined)?.throttling === true;
    const headers = ($response as { readonly headers?: unknown } | undefined)?.headers ?? own;
    if (throttling || THROTTLING.has(called) || TIMEOUT.has(called)) return told("overload", headers);
    const { httpStatusCode } = ($metadata ?? {}) as { readonly httpStatusCode?: unknown };
    const byStatus = statusOutcome(httpStatusCode) ?? statusOutcome(statusCode);
    // An error with a status of success is an answer that could not be read.
    if (byStatus !== undefined) return told(byStatus === "success" ? "failure" : byStatus, headers);
  }
  return undefined;
};

function told(outcome: Outcome, headers: unknown): Outcome | Verdict {
  return headers === undefined ? outcome : verdictWith(outcome, headers);
}
