import type { SpendRequest, SpendReservation } from "@dt/core";
import type { BudgetOperation } from "./random-operations.ts";

const TOKENS = { name: "tokens", max: 100, windowMs: 240, burst: 100 };
const CALLS = { name: "calls", max: 4, windowMs: 240, burst: 4 };

function at(clockMs: number, changes: Partial<SpendRequest>): BudgetOperation {
  return { kind: "spend", clockMs, request: { limits: [TOKENS, CALLS], keeps: [0], ...changes } };
}

function reserve(
  clockMs: number,
  id: string,
  tokens: number,
  changes: Partial<SpendReservation> = {},
  others: Partial<SpendRequest> = {},
): BudgetOperation {
  const reservation = { id, costs: [tokens, 1], tier: 0, maxWaitMs: 10_000, keepMs: 1_000, ...changes };
  return at(clockMs, { ...others, reserve: reservation });
}

function settle(clockMs: number, id: string, tokens: number, calls = 1): BudgetOperation {
  return at(clockMs, { settle: [{ id, costs: [tokens, calls], measured: true }] });
}

/** Short histories for what chance seldom comes to, with times from 0 on. */
export const EDGES: Readonly<Record<string, readonly BudgetOperation[]>> = {
  "a charge leaves the window in the instant in which its slot does": [
    reserve(0.5, "a", 100),
    ...[240.999, 241].map((ms) => reserve(ms, `at ${ms}`, 100, { maxWaitMs: 0 })),
  ],
  "a turn in the pace has come a sixteenth of a millisecond before it, and room in a window has not": [
    reserve(0, "first", 10, {}, { limits: [{ ...TOKENS, burst: 10 }, CALLS] }),
    ...[24 - 1 / 15, 24 - 1 / 16, 24 - 1 / 17].map((ms) =>
      reserve(ms, `turn ${ms}`, 10, { maxWaitMs: 0 }, { limits: [{ ...TOKENS, burst: 10 }, CALLS] }),
    ),
    reserve(24, "all", 80),
    reserve(265 - 1 / 17, "room", 100, { maxWaitMs: 0 }),
  ],
  "a lease is forgotten in the instant in which its time is over": [
    reserve(0, "a", 50),
    reserve(0, "b", 10, { keepMs: 0 }),
    settle(0, "b", 0),
    settle(1_000, "a", 0),
  ],
  "a lease is known until its time is over": [reserve(0, "a", 50), settle(999.999, "a", 0)],
  "one request settles a lease and reserves it again": [
    reserve(0, "a", 50),
    reserve(1, "a", 30, {}, { settle: [{ id: "a", costs: [20, 1], measured: true }] }),
    settle(2, "a", 10),
  ],
  "one request settles a lease twice": [
    reserve(0, "a", 50),
    at(1, { settle: [1, 90].map((tokens) => ({ id: "a", costs: [tokens, 1], measured: true })) }),
  ],
  "terms that are refused change nothing": [
    reserve(0, "a", 50, {}, { terms: "x" }),
    reserve(1, "b", 10, {}, { terms: "y", pauseMs: 50, settle: [{ id: "a", costs: [0, 0], measured: true }] }),
    settle(2, "a", 10),
  ],
  "terms bind for 10 s, and a request without a reservation does not look at them": [
    reserve(0, "a", 1, {}, { terms: "x" }),
    reserve(10_000, "b", 1, {}, { terms: "y" }),
    at(10_000, { terms: "y" }),
    reserve(20_000.001, "c", 1, {}, { terms: "y" }),
  ],
  "a limit that is new gets the tiers of the request, and one of more tiers the pace of the last": [
    reserve(0, "a", 60, {}, { limits: [{ ...TOKENS, burst: 10 }, CALLS] }),
    reserve(1, "b", 20, { tier: 1 }, { limits: [{ ...TOKENS, burst: 10 }, CALLS], keeps: [0, 0.1] }),
    reserve(
      2,
      "c",
      20,
      { tier: 2, costs: [9, 1, 1] },
      { limits: [TOKENS, CALLS, { ...CALLS, name: "more" }], keeps: [0, 0.1, 0.2] },
    ),
    reserve(3, "d", 9),
  ],
  "a repeat that does not declare the limit it waits for": [
    reserve(0, "a", 100),
    reserve(1, "b", 50),
    reserve(2, "b", 50, { costs: [1] }, { limits: [CALLS] }),
  ],
  "a window that is as short as can be, and one that is as long": [1, 8_640_000_000].flatMap((windowMs) =>
    ["a", "b", "c"].map((id, i) =>
      reserve(i / 3, `${windowMs} ${id}`, 40, { maxWaitMs: 8e9 }, { limits: [{ ...TOKENS, windowMs }, CALLS] }),
    ),
  ),
  "a limit has all slots that it can have, and changes its window": [
    ...Array.from({ length: 300 }, (_, i) => reserve(i, `${i}`, 1 / 3, { costs: [1 / 3, 1 / 300], keepMs: i })),
    at(299, {}),
    ...[1_000, 77.7, 240].map((windowMs, i) =>
      reserve(300 + i, `of ${windowMs}`, 20, {}, { limits: [{ ...TOKENS, windowMs }, CALLS] }),
    ),
  ],
};
