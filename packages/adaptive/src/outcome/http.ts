import type { Ended, Rule, Verdict } from "./classify.ts";
import { errorsOf } from "./classify.ts";
import { type HeaderSource, headersOf, queueWaitOf, retryAfterOf } from "./headers.ts";
import type { Outcome } from "./outcome.ts";

/**
 * 503 and 529 say that there is too much; 429 that it is too much from us; 504 that somebody on the way waited in vain.
 */
const OVERLOAD = new Set([429, 503, 504, 529]);

/**
 * What an HTTP status says of the callee. 429, 503, 504 and 529 are `overload`. The other 5xx are `failure`. The other
 * 4xx are `ignored`: they say something about the request, and were they successes, a thousand quick 401s would pass
 * for the latency of real work. Everything below 400 is `success`; undefined for what is no status.
 */
export function statusOutcome(status: unknown): Outcome | undefined {
  if (typeof status !== "number" || !Number.isInteger(status) || status < 100 || status > 599) return undefined;
  if (OVERLOAD.has(status)) return "overload";
  if (status >= 500) return "failure";
  return status >= 400 ? "ignored" : "success";
}

/**
 * Knows responses of `fetch` and what looks like them (`status` with `headers`), and errors of HTTP clients that carry
 * a status: `status`, `statusCode` or `response.status` (axios, got, undici, ky, SDKs). It reads
 * `Server-Timing: queue;dur=` as the callee's queue wait in milliseconds, and `Retry-After`.
 */
export const httpOutcome: Rule = (ended) => {
  const answer = answerOf(ended);
  const outcome = statusOutcome(answer?.status);
  return outcome && verdictWith(outcome, answer?.headers);
};

/** The HTTP status that a call ended with, as {@link httpOutcome} reads it; undefined where there is none. */
export function httpStatusOf(ended: Ended): number | undefined {
  return answerOf(ended)?.status;
}

/** A rule for functions that answer a bare status: the number itself is the value. */
export const httpStatus: Rule = (ended: Ended) => ("error" in ended ? undefined : statusOutcome(ended.value));

/** What an answer says of itself. */
interface Answer {
  readonly status: number;
  readonly headers: HeaderSource;
}

function answerOf(ended: Ended): Answer | undefined {
  if (!("error" in ended)) return answerIn(ended.value);
  for (const error of errorsOf(ended)) {
    // Errors that repeat the status of their response do not repeat its headers.
    const known = answerIn((error as { readonly response?: unknown }).response) ?? answerIn(error);
    if (known) return known;
  }
  return undefined;
}

function answerIn(answer: unknown): Answer | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { status, statusCode, headers } = answer as Partial<Record<"status" | "statusCode" | "headers", HeaderSource>>;
  const known = [status, statusCode].find((each) => statusOutcome(each) !== undefined);
  // A value with a status may be anything; with headers it is a response. An error that carries a status means it.
  if (known === undefined || (headers === undefined && !(answer instanceof Error))) return undefined;
  return { status: known as number, headers };
}

/** An outcome, and what headers say beside it. */
export function verdictWith(outcome: Outcome, headers: HeaderSource): Verdict {
  const header = headersOf(headers);
  const queueWaitMs = queueWaitOf(header("server-timing"));
  const retryAfterMs = retryAfterOf(header("retry-after"), header("date"));
  return { outcome, report: queueWaitMs === undefined ? undefined : { queueWaitMs }, retryAfterMs };
}
