import { invalidOption } from "../options/check.ts";

/**
 * What a call costs, in units of `every`: any number > 0.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkCost(cost: number): number {
  if (typeof cost !== "number" || !Number.isFinite(cost) || cost <= 0)
    throw invalidOption("cost", cost, "give a number of units > 0");
  return cost;
}
