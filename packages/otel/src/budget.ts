import type { Put } from "./series.ts";

/** What of a budget's status becomes metrics. */
export interface BudgetStatus {
  readonly limits: Readonly<Record<string, BudgetLimitStatus>>;
  readonly inUse: number | undefined;
  readonly unsettled: number;
  readonly wouldWait: number;
  readonly lastError: unknown;
}

/** One limit of a budget. */
interface BudgetLimitStatus {
  readonly max: number;
  readonly rest: number | undefined;
  readonly reserved?: number | undefined;
  readonly settled?: number | undefined;
}

/** Puts what a budget has beside other limiters. */
export function putBudget({ limits, inUse, unsettled, wouldWait, lastError }: BudgetStatus, put: Put): void {
  for (const [name, { max, rest, reserved, settled }] of Object.entries(limits)) {
    const attributes = { "dt.limit.name": name };
    put("dt.limit", max, attributes);
    put("dt.budget.reserved", reserved, attributes);
    put("dt.budget.settled", settled, attributes);
    if (rest === undefined) continue;
    put("dt.budget.rest", rest, attributes);
    put("dt.budget.debt", Math.max(0, -rest), attributes);
  }
  put("dt.budget.unsettled", unsettled);
  put("dt.slots.in_use", inUse);
  put("dt.would_refuse", wouldWait);
  put("dt.store.valid", Number(lastError === undefined));
}
