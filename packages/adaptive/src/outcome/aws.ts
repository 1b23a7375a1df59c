import { headersOf } from "../answer/answer-of.ts";
import { type AnswerReader, usualReader, verdictOf } from "../answer/reader.ts";
import { statusOutcome } from "../answer/report.ts";
import type { Ended, Rule } from "./classify.ts";
import { errorsOf } from "./classify.ts";

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

/** {@link awsOutcome}, by a reader of one's own. */
export function awsRule(reader: AnswerReader): Rule {
  return (ended) => {
    for (const error of errorsOf(ended)) {
      const called = nameIn(error);
      if (called === undefined) continue;
      const { statusCode, $metadata, $retryable } = error;
      const { httpStatusCode } = ($metadata ?? {}) as { readonly httpStatusCode?: unknown };
      const status = [httpStatusCode, statusCode].find((each) => statusOutcome(each) !== undefined);
      const throttling = ($retryable as { readonly throttling?: unknown } | undefined)?.throttling === true;
      const refused = throttling || THROTTLING.has(called);
      const told = reader.read({ status: status as number | undefined, headers: headersOf(error), source: error });
      if (refused || TIMEOUT.has(called)) return verdictOf({ ...told, outcome: "overload", refused });
      // An error with a status of success is an answer that could not be read.
      if (told.outcome !== undefined)
        return verdictOf(told.outcome === "success" ? { ...told, outcome: "failure" } : told);
    }
    return undefined;
  };
}

/**
 * Knows errors of the AWS SDK for JavaScript: those with `$metadata` or `$fault` (version 3) and with `statusCode` and
 * a `code` (version 2). Throttling and timeouts by their names are `overload`, although many come with status 400.
 * Other errors count by their answer, as those of other clients do.
 */
export const awsOutcome: Rule = awsRule(usualReader);
