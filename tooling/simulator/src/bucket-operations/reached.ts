import type { BucketAnswer, BucketRequest } from "@dt/core";
import type { BucketRow, HoldRow } from "@dt/core/ledger";

/** Everything that a comparison should have come to: what was never reached was never compared. */
export const REACHABLE = [
  "only looked",
  "at once",
  "waits",
  "ahead",
  "refused for the rate",
  "refused for a slot",
  "refused for what is in hand",
  "reserved ahead of now",
  "has a place",
  "lets another pass",
  "its turn",
  "repeated",
  "late",
  "put in hand",
  "given back",
  "spent",
  "time over in hand",
  "slot taken",
  "slot renewed",
  "slot lost",
  "slot given back",
  "hits counted",
  "hits taken back",
  "other window of hits",
  "limit replaced",
  "limit of before",
  "clock went back",
  "several of one bucket",
  "other limit",
  "something left",
  "nothing left",
  "reset",
] as const;

/** The same of a store that keeps stored limits: the copy is of no record, of one that counts, of one that does not. */
export const REACHABLE_LIMITS = [
  "copied from code",
  "copied from a record",
  "copied after a record",
  "the stricter limit",
] as const;

/** What operations came to. */
export type Reached = (typeof REACHABLE)[number] | (typeof REACHABLE_LIMITS)[number];

/** What one request came to. */
export function whatCame(
  request: BucketRequest,
  answer: BucketAnswer,
  before: BucketRow | undefined,
  after: BucketRow | undefined,
): readonly Reached[] {
  if (!after) return [];
  const known = before?.holds.find(({ id }) => id === request.hold?.id);
  const came: Reached[] = [];
  if (before && after.offsetMs > before.offsetMs) came.push("clock went back");
  if (before?.holds.some(({ units, untilMs }) => units > 0 && untilMs <= after.lastMs)) came.push("time over in hand");
  if (request.hold && known && known.untilMs > after.lastMs && request.hold.seq <= known.seq)
    return [...came, request.hold.seq === known.seq ? "repeated" : "late"];
  came.push(...ofTake(request, answer), ...ofHand(request, answer, known), ...ofSlots(request, answer, before));
  came.push(...ofPlaces(request, answer, known, after));
  came.push(...ofHits(request, answer, before), ...ofLimit(request, answer, before, after));
  return came;
}

function ofTake({ take, hold }: BucketRequest, { granted, waitMs, limitedBy, remaining }: BucketAnswer): Reached[] {
  if (!take) return ["only looked"];
  const debt: Reached[] = remaining < 0 ? ["reserved ahead of now"] : [];
  if (granted === 0) {
    const forHand = hold && limitedBy === "rate" && waitMs <= take.maxWaitMs;
    if (forHand) return [...debt, "refused for what is in hand"];
    return [...debt, limitedBy === "rate" ? "refused for the rate" : "refused for a slot"];
  }
  return [...debt, waitMs > 0 ? "waits" : "at once", ...(granted > take.cost ? (["ahead"] as const) : [])];
}

function ofHand({ hold }: BucketRequest, { granted, inHand }: BucketAnswer, known: HoldRow | undefined): Reached[] {
  if (!hold) return [];
  const came: Reached[] = granted > 0 ? ["put in hand"] : [];
  if (!known) return came;
  const spent = hold.spent - known.spent;
  if (spent > 0) came.push("spent");
  if (inHand - granted < known.units - spent) came.push("given back");
  return came;
}

function ofPlaces(
  { take, hold }: BucketRequest,
  { granted, limitedBy, remaining }: BucketAnswer,
  known: HoldRow | undefined,
  { holds, burst }: BucketRow,
): Reached[] {
  if (!take) return [];
  if (granted > 0) return known && isPlace(known) && holds.some(isPlace) ? ["its turn"] : [];
  const inHand = hold ? holds.reduce((sum, { units }) => sum + units, 0) : 0;
  const isThere = take.cost <= Math.min(remaining, burst - inHand);
  const passes = isThere && limitedBy === "rate" && holds.some((other) => other.id !== hold?.id && isPlace(other));
  const own = holds.find(({ id }) => id === hold?.id);
  return [
    ...(own && isPlace(own) ? (["has a place"] as const) : []),
    ...(passes ? (["lets another pass"] as const) : []),
  ];
}

/** True for a process that waits with nothing in hand (K4). */
function isPlace({ units, granted, firstMs }: HoldRow): boolean {
  return units === 0 && granted === 0 && firstMs > 0;
}

function ofSlots(request: BucketRequest, { lost, granted, inFlight }: BucketAnswer, before?: BucketRow): Reached[] {
  const { renew = [], release = [], take } = request;
  const known = before?.slots.map(({ id }) => id) ?? [];
  const came: Reached[] = [];
  if (lost.length > 0) came.push("slot lost");
  if (renew.some((id) => known.includes(id) && !lost.includes(id))) came.push("slot renewed");
  if (release.some((id) => known.includes(id))) came.push("slot given back");
  if (take?.slot && granted > 0 && inFlight > 0) came.push("slot taken");
  return came;
}

function ofHits({ hits }: BucketRequest, answer: BucketAnswer, before: BucketRow | undefined): Reached[] {
  if (!hits) return [];
  const came: Reached[] = hits.by < 0 && answer.hits > 0 ? ["hits taken back"] : [];
  if (hits.by > 0) came.push("hits counted");
  if (before && before.hitsUntilMs > 0 && before.hitsUntilMs <= answer.storeTimeMs) came.push("other window of hits");
  return came;
}

function ofLimit(
  request: BucketRequest,
  answer: BucketAnswer,
  before: BucketRow | undefined,
  after: BucketRow,
): Reached[] {
  const { limit, formerLimit, stored } = request;
  if (!limit) return [];
  const [code, record, over] = ["copied from code", "copied from a record", "copied after a record"] as const;
  if (stored && after.stored && after.stored.revision !== before?.stored?.revision)
    return [after.stored.revision === 0 ? code : after.stored.revision > 0 ? record : over];
  const isOwn = answer.limit?.max === limit.max && answer.limit.burst === limit.burst;
  if (stored || !before) return [];
  if (!isOwn) return [after.stored ? "the stricter limit" : "limit of before"];
  return formerLimit && before.max === formerLimit.max && before.max !== limit.max ? ["limit replaced"] : [];
}
