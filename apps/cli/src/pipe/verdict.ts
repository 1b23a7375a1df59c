import { classify, type Ended, type Verdict } from "@dt/adaptive";
import { toldBy } from "@dt/http";
import { type Answer, StatusError } from "./http-call.ts";

/**
 * What the end of a call means; how long the callee wants to be left alone follows from `Retry-After` and `RateLimit`.
 */
export function verdictOf(ended: Ended): Verdict {
  const verdict = classify(ended);
  const answer = "error" in ended ? ended.error : (ended.value as Answer);
  if ("error" in ended && !(answer instanceof StatusError)) return verdict;
  const { status, headers } = answer as Answer;
  const { pauseMs } = toldBy(status, headers);
  return pauseMs === undefined ? verdict : { ...verdict, retryAfterMs: pauseMs };
}
