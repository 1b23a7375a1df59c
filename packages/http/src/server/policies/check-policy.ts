import { invalidOption } from "@dt/core/internal";
import type { PerRequest } from "../request-facts.ts";

/**
 * A name that may stand in a header.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkPolicyName(option: string, name: unknown): string {
  if (typeof name === "string" && /^[\x20-\x7e]{1,100}$/.test(name)) return name;
  throw invalidOption(option, name, "give 1 to 100 characters of printable ASCII: it stands in headers");
}

/**
 * What requests use up, as an option.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkCost<Raw>(cost: PerRequest<Raw, number>): PerRequest<Raw, number> {
  return typeof cost === "function" ? cost : costOf(cost);
}

/**
 * What one request uses up.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function costOf(cost: unknown): number {
  if (Number.isSafeInteger(cost) && (cost as number) >= 1) return cost as number;
  throw invalidOption("cost", cost, "give a whole number of at least 1");
}
