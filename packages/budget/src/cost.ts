import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";
import type { Estimates, Learner } from "./estimates.ts";
import type { LimitSettings } from "./limits.ts";
import { PARTS, type Part } from "./parts.ts";

/**
 * A size that is not known before the call, and at most so much: several stated maxima count as the largest. It is
 * estimated from what calls of the same `model` and `key` cost.
 */
export interface AtMost {
  /** The most units, or several stated maxima; one that is undefined was not stated. */
  readonly most: number | undefined | readonly (number | undefined)[];
}

/** How much of one limit a call is to cost: a number, or its parts. A part is a number, or not known. */
export type Amount = number | AtMost | Readonly<Partial<Record<Part, number | AtMost | undefined>>>;

/**
 * What a call is to cost, by the names of limits. A limit that is left out costs nothing, except `requests`, which
 * costs 1.
 */
export type Cost<Limit extends string = string> = { readonly [Name in Limit]?: Amount | undefined };

/** What a call has cost, by the names of limits. A limit that is left out cost what was reserved. */
export type Usage<Limit extends string = string> = {
  readonly [Name in Limit]?: number | Readonly<Partial<Record<Part, number | undefined>>> | undefined;
};

/** The limit that costs 1 by itself. */
const REQUESTS = "requests";

/** A part without parts, for estimates. */
export const WHOLE = "whole";

/**
 * The units of each limit that a call reserves. A call that is only counted reserves at most all of a limit.
 * @throws DtError `DT_INVALID_COST`
 */
export function unitsOf(
  cost: Cost | undefined,
  limits: readonly LimitSettings[],
  { keep, enforce, stored }: { readonly keep: number; readonly enforce: boolean; readonly stored: boolean },
  learner: Learner,
  estimates: Estimates,
): readonly number[] {
  checkNames("cost", cost, limits);
  return limits.map((limit) => {
    const { [limit.name]: amount = limit.name === REQUESTS ? 1 : 0 } = cost ?? {};
    const most = limit.max * (1 - keep);
    const { known, guessed } = sizeOf(amount, limit, learner, estimates);
    // A stored limit may be raised: until then the call waits.
    if (known > most && enforce && stored) return known;
    if (known <= most || !enforce) return Math.min(most, known + guessed);
    throw new DtError(
      "DT_INVALID_COST",
      `cost.${limit.name} is ${known}, and the budget never holds more than ${most} of it at once; send less in one call, or raise the limit`,
      { limitedBy: limit.name },
    );
  });
}

/** The units of each limit that a call has cost, by its usage; undefined for a limit that the usage leaves out. */
export function spentUnits(usage: Usage, limits: readonly LimitSettings[]): readonly (number | undefined)[] {
  checkNames("usage", usage, limits);
  return limits.map((limit) => {
    const spent = usage[limit.name];
    if (spent === undefined || typeof spent === "number")
      return spent === undefined ? undefined : checkSize(`usage.${limit.name}`, spent);
    checkParts(`usage.${limit.name}`, spent);
    const all = PARTS.reduce(
      (sum, part) => sum + limit.weights[part] * checkSize(`usage.${limit.name}.${part}`, spent[part] ?? 0),
      0,
    );
    return checkSize(`usage.${limit.name}`, all);
  });
}

function sizeOf(
  amount: Amount,
  limit: LimitSettings,
  learner: Learner,
  estimates: Estimates,
): { readonly known: number; readonly guessed: number } {
  const name = `cost.${limit.name}`;
  if (typeof amount === "number") return { known: checkSize(name, amount), guessed: 0 };
  if (isAtMost(amount)) return { known: 0, guessed: guess(name, amount, limit, WHOLE, learner, estimates) };
  checkParts(name, amount);
  let [known, guessed] = [0, 0];
  for (const part of PARTS) {
    const size = amount[part];
    const weight = limit.weights[part];
    if (typeof size === "number") known += weight * checkSize(`${name}.${part}`, size);
    else if (size !== undefined || part in amount || part === "output" || part === "reasoning")
      guessed += weight * guess(`${name}.${part}`, size, limit, part, learner, estimates);
  }
  return { known, guessed };
}

/** An estimate of a size that is not known. Before anything is learned of output, it is what may be spent at once. */
function guess(
  name: string,
  size: AtMost | undefined,
  limit: LimitSettings,
  part: Part | typeof WHOLE,
  learner: Learner,
  estimates: Estimates,
): number {
  const most = size === undefined ? Number.POSITIVE_INFINITY : mostOf(name, size);
  const first = part === WHOLE || part === "output" ? limit.burst : 0;
  return Math.min(most, estimates.of(limit.name, part, learner) ?? (most < Number.POSITIVE_INFINITY ? most : first));
}

function mostOf(name: string, size: AtMost): number {
  if (!isAtMost(size)) throw invalidCost(name, size, "give a number of units, or { most } where it is not known");
  const { most } = size;
  const stated = (Array.isArray(most) ? most : [most]).filter((one) => one !== undefined);
  if (stated.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(...stated.map((one) => checkSize(`${name}.most`, one)));
}

function isAtMost(amount: unknown): amount is AtMost {
  return typeof amount === "object" && amount !== null && "most" in amount;
}

function checkNames(what: string, given: unknown, limits: readonly LimitSettings[]): void {
  if (given === undefined) return;
  const names = limits.map(({ name }) => name);
  const remedy = `give an object of the limits ${names.join(", ")}`;
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw invalidCost(what, given, remedy);
  for (const name of Object.keys(given)) if (!names.includes(name)) throw invalidCost(what, name, remedy);
}

function checkParts(name: string, given: unknown): void {
  const remedy = `give a number, { most }, or its parts: ${PARTS.join(", ")}`;
  if (typeof given !== "object" || given === null) throw invalidCost(name, given, remedy);
  for (const part of Object.keys(given)) if (!PARTS.includes(part as Part)) throw invalidCost(name, part, remedy);
}

function checkSize(name: string, size: unknown): number {
  if (typeof size === "number" && size >= 0 && size <= 1e12) return size;
  throw invalidCost(name, size, "give a number of units, 0 or more");
}

function invalidCost(name: string, value: unknown, remedy: string): DtError {
  return new DtError("DT_INVALID_COST", `${name} is ${describe(value)}; ${remedy}`);
}
