import type { BucketAnswer, BucketLimit, BucketRef, BucketRequest, BucketSnapshot, DtError } from "@dt/core";
import {
  bucketName,
  damagedBucket,
  damagedLimit,
  decodeBucketRow,
  inspectBucket,
  limitText,
  termsMismatch,
} from "@dt/core/ledger";
import { type Field, number, numbers, rowOf, rowsOf, text, unexpectedReply } from "./field.ts";

/** Attributes of the type dt_bucket_answer. */
const ANSWER_WIDTH = 20;

/**
 * The answers of `dt_take`, in the order of the requests.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseTaken(reply: unknown, requests: readonly BucketRequest[]): readonly (BucketAnswer | DtError)[] {
  const rows = new Map(rowsOf(reply, ANSWER_WIDTH).map((row) => [number(row[0]), row]));
  return requests.map((request, index) => {
    const row = rows.get(index + 1);
    if (!row) throw unexpectedReply(reply, `an answer to each of ${requests.length} requests`);
    return answerOf(row, request);
  });
}

function answerOf(row: readonly Field[], request: BucketRequest): BucketAnswer | DtError {
  const [, granted, first, wait, limitedBy, max, window, burst, concurrent, ...others] = row;
  const [every, remaining, reset, inHand, inFlight, lost, hits, hitsReset, storeTime, refusal, fault] = others;
  if (refusal === "limit")
    return termsMismatch(
      limitText(limitOf(max, window, burst, concurrent) as BucketLimit),
      limitText(request.limit as BucketLimit),
    );
  if (refusal === "record") return damagedLimit(text(fault));
  if (refusal === "row") return damagedBucket(placeOf(request), text(fault));
  const limit = limitOf(max, window, burst, concurrent);
  return {
    granted: number(granted),
    firstMs: number(first),
    waitMs: number(wait),
    ...(limitedBy !== null && { limitedBy: causeOf(limitedBy) }),
    ...(limit && { limit }),
    everyMs: number(every),
    remaining: number(remaining),
    resetMs: number(reset),
    inHand: number(inHand),
    inFlight: number(inFlight),
    lost: lost === null ? [] : numbers(lost).map((place) => request.renew?.[place - 1] as string),
    hits: number(hits),
    hitsResetMs: number(hitsReset),
    storeTimeMs: number(storeTime),
  };
}

function limitOf(max: Field, window: Field, burst: Field, concurrent: Field): BucketLimit | undefined {
  if (number(max) === 0) return undefined;
  const slots = number(concurrent);
  return {
    ...{ max: number(max), windowMs: number(window), burst: number(burst) },
    ...(slots > 0 && { concurrent: slots }),
  };
}

function causeOf(field: Field): "rate" | "concurrent" {
  if (field === "rate" || field === "concurrent") return field;
  throw unexpectedReply(field, "rate or concurrent");
}

/**
 * What a bucket holds, or undefined when nothing is left of it.
 * @throws DtError `DT_STORE_REPLY`, `DT_STORE_DATA`
 */
export function parseBucket(reply: unknown, bucket: BucketRef): BucketSnapshot | undefined {
  if (rowsOf(reply, 2).length === 0) return undefined;
  const [stored, now] = rowOf(reply, 2);
  const row = decodeBucketRow(JSON.parse(text(stored)), placeOf(bucket));
  return inspectBucket({ row: () => row }, bucket, number(now));
}

function placeOf(bucket: BucketRef): string {
  return `the row of bucket ${bucketName(bucket)} in dt_bucket`;
}
