import { DtError } from "@dt/core";
import { describe } from "@dt/core/internal";

/**
 * What a call costs: a number more than 0.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkCost(cost: unknown): number {
  if (typeof cost === "number" && cost > 0 && cost < Number.POSITIVE_INFINITY) return cost;
  throw invalidCost(cost, "give a number more than 0");
}

/**
 * For how many calls a call counts: a whole number of at least 1.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkWholeCost(cost: unknown): number {
  if (Number.isSafeInteger(cost) && (cost as number) >= 1) return cost as number;
  throw invalidCost(cost, "give a whole number of at least 1");
}

/**
 * Refuses a cost where every call counts as one.
 * @throws DtError `DT_INVALID_COST`
 */
export function checkNoCost(cost: unknown): void {
  if (cost !== undefined) throw invalidCost(cost, "leave it out: every call counts as one");
}

function invalidCost(cost: unknown, remedy: string): DtError {
  const place =
    typeof cost === "object" && cost !== null ? ". Options are the second argument: acquire(1, options)" : "";
  return new DtError("DT_INVALID_COST", `cost is ${describe(cost)}; ${remedy}${place}`);
}
