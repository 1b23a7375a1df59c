import { checkInteger, checkName, invalidOption } from "../options/check.ts";
import type { PermitRelease, PermitRequest } from "./permit-ledger.ts";

/**
 * Checks of what a caller hands to a permit ledger, so that every adapter refuses the same things with the same words.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkPermitRequest(key: string, request: PermitRequest): void {
  checkName("key", key);
  checkName("request.id", request.id);
  checkInteger("request.count", request.count, 1, 10_000);
  checkAbove("request.cost", request.cost, 0);
  checkAbove("request.everyMs", request.everyMs, 0);
  checkInteger("request.burst", request.burst, 1);
  checkInteger("request.maxReserved", request.maxReserved, 0);
  checkAtLeast("request.keepMs", request.keepMs, 0);
  checkAtLeast("request.queueMs", request.queueMs, 0);
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkPermitRelease(key: string, release: PermitRelease): void {
  checkName("key", key);
  checkName("release.id", release.id);
  checkInteger("release.keep", release.keep, 0);
}

function checkAbove(option: string, value: unknown, bound: number): void {
  if (typeof value !== "number" || !Number.isFinite(value) || value <= bound)
    throw invalidOption(option, value, `give a number > ${bound}`);
}

function checkAtLeast(option: string, value: unknown, bound: number): void {
  if (typeof value !== "number" || !Number.isFinite(value) || value < bound)
    throw invalidOption(option, value, `give a number >= ${bound}`);
}
