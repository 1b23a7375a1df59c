import { expect, test } from "vitest";
import { budgetAheadUntilMs } from "../../src/budgets/ahead-until.ts";
import { spend } from "../../src/budgets/budgets.ts";
import { MemoryBudgetTable } from "../../src/budgets/memory-budget-table.ts";
import type { SpendRequest } from "../../src/contract/budget-ledger.ts";

const WINDOW_MS = 60_000;
const SLOT_MS = WINDOW_MS / 240;
const START_MS = 1_000_000 * SLOT_MS;
const TOKENS = { name: "tokens", max: 100, windowMs: WINDOW_MS, burst: 100 };

/** How long a budget is ahead after these requests, all at one time. */
function aheadMs(...requests: readonly Partial<SpendRequest>[]): number {
  const table = new MemoryBudgetTable();
  for (const request of requests) spend(table, { limits: [TOKENS], keeps: [0], ...request }, START_MS);
  return budgetAheadUntilMs(table.row() ?? { lastMs: 0, offsetMs: 0, pausedUntilMs: 0, limits: [] }) - START_MS;
}

const reserve = (cost: number, force = false) => ({
  reserve: { id: `${Math.random()}`, costs: [cost], tier: 0, maxWaitMs: 1e9, keepMs: 0, force },
});

test("a budget is ahead until its last charge leaves the window", () => {
  expect(aheadMs(reserve(1))).toBe(WINDOW_MS + SLOT_MS);
  expect(aheadMs(reserve(100), reserve(1))).toBe(2 * (WINDOW_MS + SLOT_MS));
});

test("a budget is ahead until its pause is over", () => {
  expect(aheadMs({ pauseMs: 90_000 })).toBe(90_000);
  expect(aheadMs({ pauseMs: 10 }, reserve(1))).toBeGreaterThan(WINDOW_MS);
});

test("a budget is ahead until its pace is made up for", () => {
  expect(aheadMs(...Array.from({ length: 5 }, () => reserve(100, true)))).toBe(5 * WINDOW_MS);
});

test("a budget of which nothing was spent is not ahead", () => {
  expect(aheadMs({})).toBeLessThanOrEqual(0);
});
