import type { PermitRelease, PermitRequest } from "../contract/permit-ledger.ts";
import { checkFlag, checkInteger, checkName, invalidOption } from "../internal/check.ts";
import { LONGEST_PAUSE_MS } from "../internal/pause.ts";

/**
 * The largest cost, and the longest time in milliseconds (about 31 years): no sum of theirs leaves what a number holds
 * exactly enough.
 */
export const MOST_COST = 1e9;
export const LONGEST_MS = 1e12;

/** The longest time for which one request may reserve a key, unless it is for one permit of one unit (P11). */
export const LONGEST_RESERVATION_MS = 86_400_000;

/**
 * Checks of what a caller hands to a permit ledger, so that every adapter refuses the same things with the same words.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkPermitRequest(key: string, request: PermitRequest): void {
  checkName("key", key);
  checkName("request.id", request.id);
  checkInteger("request.count", request.count, 1, 10_000);
  checkAmount("request.cost", request.cost, MOST_COST);
  checkAmount("request.everyMs", request.everyMs, LONGEST_MS);
  checkBurst("request.burst", request.burst, request.everyMs);
  checkInteger("request.maxReserved", request.maxReserved, 0);
  checkTime("request.keepMs", request.keepMs);
  checkTime("request.queueMs", request.queueMs);
  if (request.pauseMs !== undefined) checkTime("request.pauseMs", request.pauseMs, LONGEST_PAUSE_MS);
  if (request.terms !== undefined) checkName("request.terms", request.terms);
  if (request.formerTerms !== undefined) checkName("request.formerTerms", request.formerTerms);
  checkFlag("request.stored", request.stored);
  const units = request.count * request.cost;
  if (units > 1 && units * request.everyMs > LONGEST_RESERVATION_MS)
    throw invalidOption(
      "request.cost",
      request.cost,
      `at ${request.everyMs} ms for each unit this would keep the key for more than a day; give less`,
    );
}

/**
 * A number of permits that may come at once. An unused key is so many units behind: a time that a ledger has to keep.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkBurst(option: string, value: unknown, everyMs: number): number {
  const burst = checkInteger(option, value, 1);
  if (burst * everyMs <= LONGEST_MS) return burst;
  throw invalidOption(option, burst, `at ${everyMs} ms for each unit give at most ${Math.floor(LONGEST_MS / everyMs)}`);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkPermitRelease(key: string, release: PermitRelease): void {
  checkName("key", key);
  checkName("release.id", release.id);
  checkInteger("release.keep", release.keep, 0);
}

function checkAmount(option: string, value: unknown, most: number): void {
  if (typeof value === "number" && value > 0 && value <= most) return;
  throw invalidOption(option, value, `give a number > 0 and at most ${most}`);
}

function checkTime(option: string, value: unknown, longestMs = LONGEST_MS): void {
  if (typeof value === "number" && value >= 0 && value <= longestMs) return;
  throw invalidOption(option, value, `give milliseconds from 0 to ${longestMs}`);
}
