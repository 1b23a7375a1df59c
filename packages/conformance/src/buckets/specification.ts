import { type BucketAnswer, type BucketRequest, isDtError } from "@dt/core";
import { type LimitRecordHead, takeUnits } from "@dt/core/ledger";
import type { PlainBucketTable } from "./plain-bucket-table.ts";
import { printBucketAnswer } from "./print-answer.ts";

/** What the specification makes of an answer: the state after it, or what should have been answered, as text. */
export type FollowedTake = { readonly after: PlainBucketTable } | { readonly expected: string };

/**
 * The sequential specification of one bucket: core's arithmetic, told by the answer when the store served the request.
 * A port computes the same numbers to the last digit, so that nothing is compared with a tolerance.
 */
export function followTake(
  before: PlainBucketTable,
  request: BucketRequest,
  answer: BucketAnswer,
  head?: LimitRecordHead,
): FollowedTake {
  const after = before.clone();
  try {
    const right = printBucketAnswer(takeUnits(after, request, answer.storeTimeMs, head));
    return right === printBucketAnswer(answer) ? { after } : { expected: right };
  } catch (error) {
    if (isDtError(error, "DT_PACE_MISMATCH")) return { expected: `a refusal: ${error.message}` };
    throw error;
  }
}
