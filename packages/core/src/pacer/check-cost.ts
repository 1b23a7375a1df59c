import { invalidOption } from "../kit/check.ts";

/**
 * What a call costs, in units of `every`: any number > 0, at most the pacer's `maxCost`.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkCost(cost: number, maxCost: number): number {
  if (typeof cost === "number" && cost > 0 && cost <= maxCost) return cost;
  throw invalidOption(
    "cost",
    cost,
    `give a number of units > 0 and at most maxCost, which is ${maxCost}; raise that for a call that may block the key for longer`,
  );
}
