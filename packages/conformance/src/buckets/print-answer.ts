import type { BucketAnswer } from "@dt/core";

/** An answer to a request of `take` as text, to the last digit. */
export function printBucketAnswer(answer: BucketAnswer): string {
  const { granted, firstMs, waitMs, limitedBy, limit, everyMs, remaining, resetMs, inHand, inFlight, lost } = answer;
  const why = limitedBy === undefined ? "" : ` (limited by ${limitedBy})`;
  const took = `granted ${granted} from ${firstMs}, due in ${waitMs} ms${why}`;
  const of = limit
    ? `${limit.max} in ${limit.windowMs} ms, burst ${limit.burst}, concurrent ${limit.concurrent}`
    : "none";
  const units = `remaining ${remaining}, reset ${resetMs}, every ${everyMs}, in hand ${inHand}`;
  const slots = `in flight ${inFlight}, lost ${JSON.stringify(lost)}`;
  return `${took}, ${units}, ${slots}, hits ${answer.hits} for ${answer.hitsResetMs}, limit ${of}, at ${answer.storeTimeMs}`;
}
