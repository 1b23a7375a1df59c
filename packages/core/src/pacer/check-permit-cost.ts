import { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";

/**
 * What a call costs, in units of `every`: any number > 0, at most the pacer's `maxCost`.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkPermitCost(cost: unknown, maxCost: number): number {
  if (typeof cost === "number" && cost > 0 && cost <= maxCost) return cost;
  const remedy =
    typeof cost === "object" && cost !== null
      ? "the cost comes first, and then the options: acquire(2, { timeout })"
      : `give a number of units > 0 and at most maxCost, which is ${maxCost}; raise that for a call that may block the others for longer`;
  throw new DtError("DT_INVALID_COST", `cost is ${describe(cost)}; ${remedy}`);
}
