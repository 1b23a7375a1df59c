import type { BudgetSnapshot, SpendAnswer } from "@dt/core";
import { damagedBudget, inspectBudget, type LimitRow, termsMismatch } from "@dt/core/ledger";
import { number, texts, unexpectedReply } from "./field.ts";
import { refuseLimit } from "./limits.ts";

/** Numbers of a reply of `spend.lua` besides those of the limits, and what stands for nothing among them. */
const WIDTH = 6;
const NOTHING = -2;

/**
 * The answer in a reply of `spend.lua`.
 * @param limits of the request
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseSpendAnswer(reply: unknown, limits: number): SpendAnswer {
  const fields = typeof reply === "string" ? reply.split(" ") : [];
  const isStored = fields.length === WIDTH + 2 * limits;
  if (!isStored && fields.length !== WIDTH + limits)
    throw unexpectedReply(reply, `a text of ${WIDTH + limits} or ${WIDTH + 2 * limits} numbers`);
  const [granted, at, wait, limit, paused, storeTime, ...ofLimits] = fields;
  const numbersOfLimits = ofLimits.map(number);
  const limitedBy = number(limit);
  return {
    granted: number(granted) === 1,
    atMs: number(at),
    waitMs: number(wait),
    ...(limitedBy !== NOTHING && { limitedBy }),
    pausedForMs: number(paused),
    rests: numbersOfLimits.slice(0, limits),
    ...(isStored && { maxes: numbersOfLimits.slice(limits) }),
    storeTimeMs: number(storeTime),
  };
}

/** Texts of a reply of `inspect.lua` of budgets, and those of each limit. */
const HEAD = 8;
const LIMIT = 4;

/**
 * What a budget holds, or undefined when nothing is left of it.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseBudgetSnapshot(reply: unknown, budget: string): BudgetSnapshot | undefined {
  if (reply === "nothing") return undefined;
  const parts = texts(reply, HEAD);
  const [last, now, pausedUntil, terms, formerTerms, open, revision, copied] = parts;
  const first = HEAD + 2 * number(copied);
  const values: Record<string, number> = {};
  for (let i = HEAD; i < first; i += 2) values[parts[i] as string] = number(parts[i + 1]);
  const limits: LimitRow[] = [];
  for (let i = first; i < parts.length; i += LIMIT) limits.push(parseLimit(parts.slice(i, i + LIMIT)));
  const row = {
    lastMs: number(last),
    offsetMs: 0,
    pausedUntilMs: number(pausedUntil),
    terms: terms || undefined,
    formerTerms: formerTerms || undefined,
    ...(revision !== "" && { stored: { revision: number(revision), values } }),
    limits,
  };
  return inspectBudget({ row: () => row, countLeases: () => number(open) }, budget, number(now));
}

/** What an inspection needs of a limit. */
function parseLimit(parts: readonly string[]): LimitRow {
  const [name, amounts, slots, units] = texts(parts, LIMIT);
  const [max, windowMs, surplus, variance, learnedMs] = numbers(amounts);
  return {
    name: name as string,
    ...{ max: number(max), windowMs: number(windowMs) },
    ...{ slots: numbers(slots), units: numbers(units), paceMs: [], latestMs: 0 },
    ...{ surplus: number(surplus), variance: number(variance), learnedMs: number(learnedMs) },
  };
}

function numbers(text: string | undefined): number[] {
  return text ? text.split(" ").map(number) : [];
}

/**
 * Throws what a script of budgets said instead of an answer: that the budget is damaged, or used with other terms.
 * @param key the first of the budget's keys in Redis
 * @throws DtError `DT_STORE_DATA`, `DT_PACE_MISMATCH`
 */
export function refuseBudgetReply(reply: unknown, key: string, terms = ""): void {
  if (typeof reply !== "string") return;
  if (reply.startsWith("damaged ")) throw damagedBudget(`redis key ${key}`, reply.slice("damaged ".length));
  refuseLimit(reply);
  if (reply.startsWith("terms ")) throw termsMismatch(reply.slice("terms ".length), terms);
}

/** One of the budget's keys may hold what no command of a script can be used on. */
export function withoutWrongBudget(error: unknown, key: string): unknown {
  const isWrong = error instanceof Error && error.message.includes("WRONGTYPE");
  return isWrong ? damagedBudget(`redis key ${key}, or one that begins like it,`, "a value of another type") : error;
}
