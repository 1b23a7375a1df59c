import type { BucketLimit, BucketRef } from "../contract/bucket.ts";
import type { BucketHits, BucketHold, BucketRequest, BucketTake } from "../contract/keyed-ledger.ts";
import { LONGEST_WINDOW_MS, MOST_UNITS } from "../internal/amounts.ts";
import { checkInteger, checkName, invalidOption } from "../internal/check.ts";

/** Requests that travel together. */
export const MOST_REQUESTS = 1_000;

const MOST_SLOTS = 1_000;

/** Of one request: sums of them stay whole numbers. */
const MOST_HITS = 1_000_000;

/**
 * Checks of what a caller hands to a keyed ledger, so that every adapter refuses the same things with the same words.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkBucketRequests(requests: readonly BucketRequest[]): void {
  if (!Array.isArray(requests) || requests.length < 1 || requests.length > MOST_REQUESTS)
    throw invalidOption("requests", requests, `give a list of 1 to ${MOST_REQUESTS} requests`);
  for (const [index, request] of requests.entries()) checkBucketRequest(`requests[${index}]`, request);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkBucketRef(option: string, { name, key }: BucketRef): void {
  checkName(`${option}.name`, name);
  checkName(`${option}.key`, key);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkBucketRequest(option: string, request: BucketRequest): void {
  const { limit, formerLimit, stored, take, hold, renew = [], renewMs = 0, release = [], hits } = request;
  checkBucketRef(option, request);
  if (limit) checkBucketLimit(`${option}.limit`, limit);
  if (formerLimit) checkBucketLimit(`${option}.formerLimit`, formerLimit);
  if (!limit && (stored || !hits)) throw invalidOption(`${option}.limit`, limit, "give the limit of the key");
  if (stored !== undefined && typeof stored !== "boolean")
    throw invalidOption(`${option}.stored`, stored, "give true or false");
  if (take) checkTake(`${option}.take`, take, request);
  if (hold) checkHold(`${option}.hold`, hold);
  checkIds(`${option}.renew`, renew);
  checkIds(`${option}.release`, release);
  checkAmount(`${option}.renewMs`, renewMs, 0, LONGEST_WINDOW_MS);
  if (hits) checkHits(`${option}.hits`, hits);
}

function checkBucketLimit(option: string, { max, windowMs, burst, concurrent }: BucketLimit): void {
  checkAmount(`${option}.max`, max, 1 / MOST_UNITS, MOST_UNITS);
  checkAmount(`${option}.windowMs`, windowMs, 1, LONGEST_WINDOW_MS);
  checkAmount(`${option}.burst`, burst, 1, MOST_UNITS);
  if (concurrent !== undefined) checkInteger(`${option}.concurrent`, concurrent, 1, MOST_SLOTS);
}

function checkTake(option: string, take: BucketTake, { limit, hold, stored }: BucketRequest): void {
  const { cost, maxWaitMs, ahead, aheadWithinMs, slot } = take;
  if (!limit) throw invalidOption(`${option}`, take, "give the limit with it");
  checkInteger(`${option}.cost`, cost, 1, stored ? MOST_UNITS : Math.floor(limit.burst));
  checkAmount(`${option}.maxWaitMs`, maxWaitMs, 0, hold ? LONGEST_WINDOW_MS : 0);
  checkInteger(`${option}.ahead`, ahead, 0, hold ? MOST_UNITS : 0);
  checkAmount(`${option}.aheadWithinMs`, aheadWithinMs, 0, LONGEST_WINDOW_MS);
  if (!slot) return;
  checkName(`${option}.slot.id`, slot.id);
  checkAmount(`${option}.slot.forMs`, slot.forMs, 0, LONGEST_WINDOW_MS);
}

function checkHold(option: string, { id, seq, spent, keep, forMs }: BucketHold): void {
  checkName(`${option}.id`, id);
  checkInteger(`${option}.seq`, seq, 1);
  checkInteger(`${option}.spent`, spent, 0);
  checkInteger(`${option}.keep`, keep, 0, MOST_UNITS);
  checkAmount(`${option}.forMs`, forMs, 0, LONGEST_WINDOW_MS);
}

function checkHits(option: string, { windowMs, by }: BucketHits): void {
  checkAmount(`${option}.windowMs`, windowMs, 1, LONGEST_WINDOW_MS);
  checkInteger(`${option}.by`, by, -MOST_HITS, MOST_HITS);
}

function checkIds(option: string, ids: readonly string[]): void {
  if (!Array.isArray(ids) || ids.length > MOST_SLOTS)
    throw invalidOption(option, ids, `give a list of at most ${MOST_SLOTS} ids`);
  for (const [index, id] of ids.entries()) checkName(`${option}[${index}]`, id);
}

function checkAmount(option: string, value: unknown, least: number, most: number): void {
  if (typeof value === "number" && value >= least && value <= most) return;
  throw invalidOption(option, value, `give a number from ${least} to ${most}`);
}
