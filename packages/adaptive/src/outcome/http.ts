import { answerOf } from "../answer/answer-of.ts";
import { type AnswerReader, usualReader, verdictOf } from "../answer/reader.ts";
import { statusOutcome } from "../answer/report.ts";
import { retryDelayOf } from "../answer/retry-info.ts";
import type { Ended, Rule } from "./classify.ts";

/** {@link httpOutcome}, by a reader of one's own. */
export function httpRule(reader: AnswerReader): Rule {
  return (ended) => {
    const answer = answerOf(ended);
    if (answer === undefined) return undefined;
    const verdict = verdictOf(reader.read(answer));
    // Gemini tells its time in the body only, which its SDK makes details of the error.
    return verdict.refused ? { ...verdict, retryAfterMs: verdict.retryAfterMs ?? retryDelayOf(ended) } : verdict;
  };
}

/**
 * Knows responses of `fetch` and values that look like them (`status` with `headers`). It also knows errors of HTTP
 * clients that carry a status: `status`, `statusCode` or `response.status` (axios, got, undici, ky, SDKs). It reads
 * `Retry-After` and its like, what is left of limits, and `Server-Timing: queue;dur=` as the callee's queue wait in
 * milliseconds. A 4xx that asks for a wait, or reports that nothing is left, is `overload`.
 */
export const httpOutcome: Rule = httpRule(usualReader);

/** A rule for functions that answer a bare status: the number itself is the value. */
export const httpStatus: Rule = (ended: Ended) => ("error" in ended ? undefined : statusOutcome(ended.value));
