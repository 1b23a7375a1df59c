import type { BucketAnswer, BucketLimit, BucketRef, BucketRequest, BucketSnapshot, DtError } from "@dt/core";
import { damagedBucket, damagedLimit, inspectBucket, limitText, standingOf, termsMismatch } from "@dt/core/ledger";
import { number, unexpectedReply } from "./field.ts";

/** Numbers that need not be whole travel in parts of so much: see `number` in `take.lua`. */
const SCALE = 4_096;

const NO_LIMIT: BucketLimit = { max: 0, windowMs: 0, burst: 0 };

/**
 * The answers in a reply of `take.lua`, and the errors that are a request's own.
 * @param keys the bucket's key in Redis of each request
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseBucketAnswers(
  reply: unknown,
  requests: readonly BucketRequest[],
  keys: readonly string[],
): (BucketAnswer | DtError)[] {
  if (!Array.isArray(reply) || reply.length !== requests.length + 1)
    throw unexpectedReply(reply, `a list of ${requests.length + 1}`);
  const clockMs = whole(reply[0]);
  return requests.map((request, index) => {
    const answer: unknown = reply[index + 1];
    if (typeof answer === "string") return refusal(answer, request, keys[index] as string);
    if (!Array.isArray(answer) || answer.length < 3) throw unexpectedReply(answer, "a list of at least 3");
    return parseAnswer(answer, request, clockMs);
  });
}

/** What a request is told instead of an answer. */
function refusal(text: string, { limit }: BucketRequest, key: string): DtError {
  if (text.startsWith("damaged ")) return damagedBucket(`redis key ${key}`, text.slice("damaged ".length));
  if (text.startsWith("limit ")) return damagedLimit(text.slice("limit ".length));
  const [what, ...known] = text.split(" ");
  if (what !== "terms" || !limit) throw unexpectedReply(text, "an answer");
  return termsMismatch(limitText(limitOf(known.map(number))), limitText(limit));
}

function parseAnswer(parts: readonly unknown[], { limit: asked }: BucketRequest, clockMs: number): BucketAnswer {
  const [last, used, units, first = 0, wait = 0, limitedBy = 0, inHand = 0, inFlight = 0, hits = 0, hitsUntil = 0] =
    parts;
  const [max, windowMs, burst, concurrent, ...lost] = parts.slice(10);
  const { concurrent: most = 0, ...limit } =
    max === undefined
      ? (asked ?? NO_LIMIT)
      : limitOf([scaled(max), scaled(windowMs), scaled(burst), whole(concurrent)]);
  const granted = whole(units);
  const reason = whole(limitedBy);
  const standing = standingOf({
    ...limit,
    ...{ concurrent: most, lastMs: point(last, clockMs), used: scaled(used), hits: whole(hits) },
    ...{ hitsUntilMs: hitsUntil === 0 ? 0 : point(hitsUntil, clockMs), slots: { length: whole(inFlight) } },
  });
  return {
    granted,
    firstMs: granted === 0 ? 0 : point(first, clockMs),
    waitMs: scaled(wait),
    ...(reason > 0 && { limitedBy: reason === 1 ? "rate" : "concurrent" }),
    ...standing,
    inHand: whole(inHand),
    lost: lost.map(String),
  };
}

function whole(part: unknown): number {
  return typeof part === "number" ? part : number(typeof part === "string" ? part : undefined);
}

/** A number in parts, or as a list of its mantissa and its exponent. */
function scaled(part: unknown): number {
  return Array.isArray(part) ? whole(part[0]) * 2 ** (whole(part[1]) - 53) : whole(part) / SCALE;
}

/** A point in time: in parts from the server's time on, or as such a list. */
function point(part: unknown, clockMs: number): number {
  return Array.isArray(part) ? scaled(part) : clockMs + whole(part) / SCALE;
}

function limitOf([max = 0, windowMs = 0, burst = 0, concurrent = 0]: readonly number[]): BucketLimit {
  return { max, windowMs, burst, ...(concurrent > 0 && { concurrent }) };
}

/** Numbers of a reply of `inspect.lua` of buckets. */
const WIDTH = 10;

/**
 * What a bucket holds, or undefined when nothing is left of it.
 * @param key the bucket's key in Redis
 * @throws DtError `DT_STORE_DATA`, `DT_STORE_REPLY`
 */
export function parseBucketSnapshot(reply: unknown, bucket: BucketRef, key: string): BucketSnapshot | undefined {
  if (reply === "nothing") return undefined;
  const text = typeof reply === "string" ? reply : "";
  if (text.startsWith("damaged ")) throw damagedBucket(`redis key ${key}`, text.slice("damaged ".length));
  const parts = text.split(" ");
  if (parts.length !== WIDTH) throw unexpectedReply(reply, `a text of ${WIDTH} numbers`);
  const [lastMs, used, max, windowMs, burst, concurrent, hits, hitsUntilMs, held, slots] = parts.map(number) as Ten;
  const hold = { id: "", seq: 0, spent: 0, granted: 0, firstMs: 0, waitMs: 0, busy: false };
  const row = {
    ...{ lastMs, offsetMs: 0, used, max, windowMs, burst, concurrent, hits, hitsUntilMs },
    holds: held > 0 ? [{ ...hold, units: held, untilMs: Number.POSITIVE_INFINITY }] : [],
    slots: Array.from({ length: slots }, () => ({ id: "", untilMs: Number.POSITIVE_INFINITY })),
  };
  return inspectBucket({ row: () => row }, bucket, lastMs);
}

type Ten = [number, number, number, number, number, number, number, number, number, number];
