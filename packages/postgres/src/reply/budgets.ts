import type { BudgetSnapshot, LimitValues, SpendAnswer } from "@dt/core";
import { inspectBudget, termsMismatch } from "@dt/core/ledger";
import { boolean, type Field, number, numbers, optionalNumber, rowOf, rowsOf, text } from "./field.ts";

/** Attributes of the type dt_spending. */
const SPENDING_WIDTH = 9;

/**
 * The answer of `dt_spend`.
 * @param terms those of the request
 * @throws DtError `DT_PACE_MISMATCH`, `DT_STORE_REPLY`
 */
export function parseSpending(reply: unknown, terms = ""): SpendAnswer {
  const [granted, at, wait, limited, pausedFor, rests, storeTime, otherTerms, maxima] = rowOf(reply, SPENDING_WIDTH);
  if (typeof otherTerms === "string") throw termsMismatch(otherTerms, terms);
  const limitedBy = optionalNumber(limited);
  return {
    granted: boolean(granted),
    atMs: number(at),
    waitMs: number(wait),
    ...(limitedBy !== null && { limitedBy }),
    pausedForMs: number(pausedFor),
    rests: numbers(rests),
    ...(maxima !== null && { maxes: numbers(maxima) }),
    storeTimeMs: number(storeTime),
  };
}

/** Columns of the statement in `read-only/budget.sql`. */
const BUDGET_WIDTH = 20;
/** Where the copy of the limit record is. */
const COPY = 18;

/**
 * What a budget holds, or undefined when nothing is left of it.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseBudget(reply: unknown, budget: string): BudgetSnapshot | undefined {
  const rows = rowsOf(reply, BUDGET_WIDTH);
  const [first] = rows;
  if (!first) return undefined;
  const [last, pausedUntil, terms, formerTerms, now, open] = first;
  const [revision, maxima] = first.slice(COPY);
  const row = {
    lastMs: number(last),
    offsetMs: 0,
    pausedUntilMs: number(pausedUntil),
    terms: terms ?? undefined,
    formerTerms: formerTerms ?? undefined,
    ...(revision !== null && {
      stored: { revision: number(revision), values: JSON.parse(text(maxima)) as LimitValues },
    }),
    limits: rows.map((limit) => limitOf(limit.slice(6))),
  };
  return inspectBudget({ row: () => row, countLeases: () => number(open) }, budget, number(now));
}

function limitOf([name, max, window, slots, units, pace, latest, surplus, variance, learned]: readonly Field[]) {
  return {
    name: text(name),
    max: number(max),
    windowMs: number(window),
    slots: numbers(slots),
    units: numbers(units),
    paceMs: numbers(pace),
    latestMs: number(latest),
    surplus: number(surplus),
    variance: number(variance),
    learnedMs: number(learned),
  };
}
