import type { Outcome } from "../outcome/outcome.ts";
import { fieldsOf, type HeaderSource } from "./fields.ts";
import { isCached, retryAfterOf, serverTimeOf } from "./head.ts";
import { type Left, type Limits, leftOf } from "./left.ts";
import { type DeclaredPolicy, policiesOf } from "./policies.ts";
import { queueWaitOf } from "./server-timing.ts";

/** What a server reports with one answer: of the call, and of its limits. */
export interface AnswerReport {
  /** The outcome by the status and the fields together; undefined where there is no status. */
  readonly outcome: Outcome | undefined;
  /** True when the server answered that it takes no more; false also where a gateway had no answer in time (504). */
  readonly refused: boolean;
  /** For how long nothing should be sent, in milliseconds, from 0 to 366 days. */
  readonly pauseMs: number | undefined;
  /** The source of the pause: `Retry-After` and its like, the fields of a limit, or the hook `readAnswer`. */
  readonly by: "retry-after" | "ratelimit" | "readAnswer" | undefined;
  /** What is left of its limits. */
  readonly left: readonly Left[];
  /** The limits that it declares. */
  readonly policies: readonly DeclaredPolicy[];
  /** How long the call waited at the callee, in milliseconds. */
  readonly queueWaitMs: number | undefined;
  /** Names of fields that were ignored because they make no sense. */
  readonly malformed: readonly string[];
}

/**
 * Reads the status and the fields of an answer. Nothing here throws: a field that makes no sense is ignored, and named
 * in `malformed`.
 *
 * `Retry-After` and its like win, and are a pause with a 4xx or 5xx: with a redirect or a 202 they say something else.
 * Otherwise the pause is until there is more of every limit of which nothing remains. What comes from a cache is no
 * word on what remains now. A 4xx with `Retry-After`, or with nothing left of a limit, is a refusal.
 * @param headers in any form that clients have them in
 * @param wallTimeMs our own clock in milliseconds since 1970, for an answer without `Date`; NaN where there is none
 */
export function reportOf(status: number | undefined, headers: HeaderSource, wallTimeMs: number): AnswerReport {
  const fields = fieldsOf(headers);
  const nowMs = serverTimeOf(fields, wallTimeMs);
  const limits = isCached(fields) ? NO_LIMITS : leftOf(fields, nowMs);
  const policies = policiesOf(fields);
  const retryAfter = retryAfterOf(fields, nowMs);
  const malformed = [...limits.malformed, ...policies.malformed, ...retryAfter.malformed];
  const outcome = outcomeOf(status, retryAfter.there || limits.values.some(({ remaining }) => remaining < 1));
  const refused = isRefusedBy(outcome, status);
  const isError = status === undefined || status >= 400;
  const untilMs = pauseOf(limits, refused);
  const byRetryAfter = isError && retryAfter.ms !== undefined;
  return {
    outcome,
    refused,
    pauseMs: byRetryAfter ? retryAfter.ms : untilMs,
    by: byRetryAfter ? "retry-after" : untilMs === undefined ? undefined : "ratelimit",
    left: limits.values,
    policies: policies.values,
    queueWaitMs: queueWaitOf(fields.get("server-timing")),
    malformed,
  };
}

const NO_LIMITS: Limits = { values: [], malformed: [], resetMs: undefined };
const GATEWAY_TIMEOUT = 504;

/** 503 and 529 report too many calls; 429 too many from this caller; 504 a gateway that had no answer in time. */
const OVERLOAD = new Set([429, 503, GATEWAY_TIMEOUT, 529]);

/**
 * The outcome that an HTTP status stands for. 429, 503, 504 and 529 are `overload`. The other 5xx are `failure`. The
 * other 4xx are `ignored`: they are about the request. Were they successes, a thousand quick 401s would pass for the
 * latency of real work. Everything below 400 is `success`; undefined for what is no status.
 * @param status the status code
 * @example statusOutcome(429); // "overload"
 */
export function statusOutcome(status: unknown): Outcome | undefined {
  if (typeof status !== "number" || !Number.isInteger(status) || status < 100 || status > 599) return undefined;
  if (OVERLOAD.has(status)) return "overload";
  if (status >= 500) return "failure";
  return status >= 400 ? "ignored" : "success";
}

/** True where a status, together with fields that report a wait or nothing left, is a refusal. */
export function isRefused(status: number | undefined, saysToWait: boolean): boolean {
  return isRefusedBy(outcomeOf(status, saysToWait), status);
}

function isRefusedBy(outcome: Outcome | undefined, status: number | undefined): boolean {
  return outcome === "overload" && status !== GATEWAY_TIMEOUT;
}

function outcomeOf(status: number | undefined, saysToWait: boolean): Outcome | undefined {
  const outcome = statusOutcome(status);
  return outcome === "ignored" && saysToWait ? "overload" : outcome;
}

/** Until there is more of every limit of which nothing is left; for a refusal, also of those that tell only when. */
function pauseOf({ values, resetMs }: Limits, refused: boolean): number | undefined {
  const waits = values.flatMap((limit) => (limit.remaining < 1 && limit.resetMs !== undefined ? [limit.resetMs] : []));
  if (waits.length > 0) return Math.max(...waits);
  return refused ? resetMs : undefined;
}
