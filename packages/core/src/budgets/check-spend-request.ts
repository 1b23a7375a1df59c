import type { SpendRequest, SpendReservation } from "../contract/budget-ledger.ts";
import { LONGEST_WINDOW_MS, MOST_UNITS } from "../internal/amounts.ts";
import { checkFlag, checkInteger, checkName, invalidOption } from "../internal/check.ts";

const MOST_LIMITS = 16;
const MOST_TIERS = 8;
const MOST_SETTLEMENTS = 1_000;
const LONGEST_NAME = 128;

/**
 * Checks of what a caller hands to a budget ledger, so that every adapter refuses the same things with the same words.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkSpendRequest(budget: string, request: SpendRequest): void {
  checkName("budget", budget);
  const { limits, keeps, settle = [], stated = [], pauseMs = 0, reserve } = request;
  checkLength("request.limits", limits, 1, MOST_LIMITS);
  for (const [index, { name, max, windowMs, burst }] of limits.entries()) {
    const option = `request.limits[${index}]`;
    if (checkName(`${option}.name`, name).length > LONGEST_NAME)
      throw invalidOption(`${option}.name`, name, `give at most ${LONGEST_NAME} characters`);
    if (limits.findIndex((limit) => limit.name === name) < index)
      throw invalidOption(`${option}.name`, name, "give each limit a name of its own");
    checkAmount(`${option}.max`, max, Number.MIN_VALUE, MOST_UNITS);
    checkAmount(`${option}.windowMs`, windowMs, 1, LONGEST_WINDOW_MS);
    checkAmount(`${option}.burst`, burst, Number.MIN_VALUE, max);
  }
  checkKeeps(keeps);
  checkLength("request.settle", settle, 0, MOST_SETTLEMENTS);
  for (const [index, { id, costs }] of settle.entries()) {
    checkName(`request.settle[${index}].id`, id);
    checkCosts(`request.settle[${index}].costs`, costs, limits.length);
  }
  checkLength("request.stated", stated, 0, MOST_LIMITS);
  for (const [index, { limit, rest, resetMs }] of stated.entries()) {
    checkInteger(`request.stated[${index}].limit`, limit, 0, limits.length - 1);
    checkAmount(`request.stated[${index}].rest`, rest, 0, MOST_UNITS);
    checkAmount(`request.stated[${index}].resetMs`, resetMs, 0, LONGEST_WINDOW_MS);
  }
  checkAmount("request.pauseMs", pauseMs, 0, LONGEST_WINDOW_MS);
  if (reserve) checkReservation(reserve, request);
  if (request.terms !== undefined) checkName("request.terms", request.terms);
  if (request.formerTerms !== undefined) checkName("request.formerTerms", request.formerTerms);
  checkFlag("request.stored", request.stored);
}

function checkReservation(
  { id, costs, tier, maxWaitMs, keepMs }: SpendReservation,
  { limits, keeps, stored }: SpendRequest,
): void {
  checkName("request.reserve.id", id);
  checkInteger("request.reserve.tier", tier, 0, keeps.length - 1);
  checkAmount("request.reserve.maxWaitMs", maxWaitMs, 0, LONGEST_WINDOW_MS);
  checkAmount("request.reserve.keepMs", keepMs, 0, LONGEST_WINDOW_MS);
  checkCosts("request.reserve.costs", costs, limits.length);
  // The limit in force may be higher.
  if (stored) return;
  for (const [index, { max }] of limits.entries()) {
    const most = max * (1 - (keeps[tier] as number));
    checkAmount(`request.reserve.costs[${index}]`, costs[index], 0, most);
  }
}

function checkKeeps(keeps: readonly number[]): void {
  checkLength("request.keeps", keeps, 1, MOST_TIERS);
  for (const [tier, keep] of keeps.entries()) {
    const least = tier === 0 ? 0 : (keeps[tier - 1] as number);
    if (typeof keep === "number" && keep >= least && keep < 1 && (tier > 0 || keep === 0)) continue;
    throw invalidOption(`request.keeps[${tier}]`, keep, "begin with 0, and give numbers below 1 that do not fall");
  }
}

function checkCosts(option: string, costs: readonly number[], length: number): void {
  checkLength(option, costs, length, length);
  for (const [index, cost] of costs.entries()) checkAmount(`${option}[${index}]`, cost, 0, MOST_UNITS);
}

function checkLength(option: string, list: unknown, least: number, most: number): void {
  if (Array.isArray(list) && list.length >= least && list.length <= most) return;
  throw invalidOption(option, list, `give a list of ${least === most ? least : `${least} to ${most}`}`);
}

function checkAmount(option: string, value: unknown, least: number, most: number): void {
  if (typeof value === "number" && value >= least && value <= most) return;
  throw invalidOption(
    option,
    value,
    `give a number ${least === Number.MIN_VALUE ? "> 0" : `from ${least}`}, at most ${most}`,
  );
}
