import { inspectBudget, MemoryBudgetTable, spend } from "@dt/core/ledger";
import { expect, it } from "vitest";
import {
  compareBudgets,
  compareEdges,
  REACHABLE,
  type Reached,
  type TimedBudgets,
} from "../../src/budget-operations/index.ts";

const START_MS = 1_800_000_000_000;

/** A ledger that is right. */
function ledger(): TimedBudgets {
  const budgets = new Map<string, MemoryBudgetTable>();
  const tableOf = (budget: string): MemoryBudgetTable => {
    const table = budgets.get(budget) ?? new MemoryBudgetTable();
    budgets.set(budget, table);
    return table;
  };
  return {
    spend: async (budget, request, clockMs) => spend(tableOf(budget), request, clockMs),
    reset: async (budget) => tableOf(budget).forget(),
    inspect: async (budget, clockMs) => inspectBudget(tableOf(budget), budget, clockMs),
  };
}

const options = (seed: number) => ({ seed, operations: 600, startMs: START_MS });

it("a ledger that is right agrees, and everything that can happen happens", async () => {
  const reached = new Set<Reached>();
  for (let seed = 1; seed <= 16; seed++)
    for (const what of await compareBudgets(ledger(), options(seed))) reached.add(what);
  expect([...reached].sort()).toEqual([...REACHABLE].sort());
  await compareEdges(ledger(), START_MS);
});

it("a ledger that forgets one settlement of a hundred is found out", async () => {
  const right = ledger();
  let count = 0;
  const forgets: TimedBudgets["spend"] = (budget, { settle = [], ...request }, clockMs) =>
    right.spend(budget, { ...request, settle: settle.filter(() => ++count % 100 !== 0) }, clockMs);
  await expect(compareBudgets({ ...right, spend: forgets }, options(3))).rejects.toThrow(/seed 3, \d+: /);
});

it("a ledger that is one unit in the last place off is found out", async () => {
  const right = ledger();
  const off: TimedBudgets["spend"] = async (...given) => {
    const answer = await right.spend(...given);
    return { ...answer, storeTimeMs: answer.storeTimeMs * (1 + Number.EPSILON) };
  };
  await expect(compareBudgets({ ...right, spend: off }, options(1))).rejects.toThrow(/seed 1, 0: /);
});

it("a ledger that counts one lease too many is found out", async () => {
  const right = ledger();
  const inspect: TimedBudgets["inspect"] = async (budget, clockMs) => {
    const snapshot = await right.inspect(budget, clockMs);
    return snapshot && { ...snapshot, open: snapshot.open + (snapshot.open > 3 ? 1 : 0) };
  };
  await expect(compareBudgets({ ...right, inspect }, options(3))).rejects.toThrow(
    /what the budget holds at .* after seed 3/,
  );
});

it("a ledger that learns nothing is found out", async () => {
  const right = ledger();
  const learnsNothing: TimedBudgets["spend"] = (budget, request, clockMs) =>
    right.spend(
      budget,
      { ...request, settle: (request.settle ?? []).map((settlement) => ({ ...settlement, measured: false })) },
      clockMs,
    );
  await expect(compareBudgets({ ...right, spend: learnsNothing }, options(2))).rejects.toThrow(/seed 2/);
});
