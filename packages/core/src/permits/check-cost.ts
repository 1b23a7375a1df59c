import { invalidOption } from "../options/check.ts";
import { MOST_COST } from "./check-permit-request.ts";

/**
 * What a call costs, in units of `every`: any number > 0, at most 1e9.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkCost(cost: number): number {
  if (typeof cost === "number" && cost > 0 && cost <= MOST_COST) return cost;
  throw invalidOption("cost", cost, `give a number of units > 0 and at most ${MOST_COST}`);
}
