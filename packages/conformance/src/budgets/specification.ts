import { isDtError, type SpendAnswer, type SpendRequest } from "@dt/core";
import { spend } from "@dt/core/ledger";
import type { PlainBudgetTable } from "./plain-budget-table.ts";
import { printSpendAnswer } from "./print-answer.ts";

/** What the specification makes of an answer: the state after it, or what should have been answered, as text. */
export type FollowedSpend = { readonly after: PlainBudgetTable } | { readonly expected: string };

/**
 * The sequential specification of one budget: core's arithmetic, told by the answer when the store served the request.
 * A port computes the same numbers to the last digit, so that nothing is compared with a tolerance.
 */
export function followSpend(before: PlainBudgetTable, request: SpendRequest, answer: SpendAnswer): FollowedSpend {
  const after = before.clone();
  try {
    const right = spend(after, request, answer.storeTimeMs);
    return sameAnswer(right, answer) ? { after } : { expected: printSpendAnswer(right) };
  } catch (error) {
    if (isDtError(error, "DT_PACE_MISMATCH")) return { expected: `a refusal: ${error.message}` };
    throw error;
  }
}

function sameAnswer(right: SpendAnswer, answer: SpendAnswer): boolean {
  return (
    right.granted === answer.granted &&
    right.atMs === answer.atMs &&
    right.waitMs === answer.waitMs &&
    right.limitedBy === answer.limitedBy &&
    right.pausedForMs === answer.pausedForMs &&
    right.storeTimeMs === answer.storeTimeMs &&
    right.rests.length === answer.rests.length &&
    right.rests.every((rest, place) => rest === answer.rests[place]) &&
    JSON.stringify(right.maxes) === JSON.stringify(answer.maxes)
  );
}
