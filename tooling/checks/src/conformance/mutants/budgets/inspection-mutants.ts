import { type BudgetSnapshot, isDtError } from "@dt/core";
import { altered } from "../altered.ts";
import type { BudgetFlaw } from "../budget-flaw.ts";
import { budgetMutant, type Mutant, mutant } from "../flaw.ts";

/** B12: what a budget holds, and which budgets there are. */
export const inspectionMutants: readonly Mutant[] = [
  budgetMutant("open leases are not counted", "B12", { inspect: telling(() => ({ open: 0 })) }),
  budgetMutant("the part of a limit that is kept free is not shown", "B12", {
    inspect: telling(({ limits }) => ({ limits: limits.map((limit) => ({ ...limit, margin: 0 })) })),
  }),
  budgetMutant("terms of a budget are shown that bind no more", "B12", {
    inspect: ({ table }, proceed) => {
      const answer = proceed();
      return answer && { ...answer, ...(table.budget?.terms && { terms: table.budget.terms }) };
    },
  }),
  budgetMutant("a budget is shown for ever", "B12", {
    inspect: ({ table, nowMs }, proceed) =>
      proceed() ?? (table.budget && { budget: "any", limits: [], open: 0, pausedForMs: 0, storeTimeMs: nowMs }),
  }),
  budgetMutant("an inspection of a budget gives up its leases", "B12", {
    inspect: ({ table }, proceed) => {
      const answer = proceed();
      table.leases.clear();
      return answer;
    },
  }),
  budgetMutant("an inspection of a budget shows one whose name is the same but for a space", "B12", {
    key: (budget) => budget.trim(),
  }),
  mutant("a budget whose data is damaged is reported as not there", "B12", {
    wrap: (store) =>
      altered(store, {
        inspectBudget: (...args) =>
          store.inspectBudget(...args).catch((error: unknown) => {
            if (isDtError(error, "DT_STORE_DATA")) return undefined;
            throw error;
          }),
      }),
  }),
  mutant("the aborted signal of an inspection of a budget is ignored", "B12", {
    wrap: (store) => altered(store, { inspectBudget: (budget) => store.inspectBudget(budget) }),
  }),
  mutant("a list of budgets ends after its first page", "B12", {
    wrap: (store) =>
      altered(store, { listBudgets: async (...args) => ({ budgets: (await store.listBudgets(...args)).budgets }) }),
  }),
  mutant("a list of budgets has the groups too", "B12", {
    wrap: (store, server) =>
      altered(store, {
        listBudgets: async (...args) => {
          const page = await store.listBudgets(...args);
          return page.next === undefined ? { budgets: [...page.budgets, ...server.groups()] } : page;
        },
      }),
  }),
  mutant("a list of budgets shows names without what is not ASCII", "B12", {
    wrap: (store) =>
      altered(store, {
        listBudgets: async (...args) => {
          const page = await store.listBudgets(...args);
          return { ...page, budgets: page.budgets.map((budget) => budget.replaceAll(/[^ -~]/g, "?")) };
        },
      }),
  }),
  mutant("a cursor of budgets that no page gave begins the list anew", "B12", {
    wrap: (store) =>
      altered(store, {
        listBudgets: (cursor, signal) =>
          store.listBudgets(cursor, signal).catch((error: unknown) => {
            if (isDtError(error, "DT_INVALID_OPTION")) return store.listBudgets(undefined, signal);
            throw error;
          }),
      }),
  }),
  mutant("the aborted signal of a list of budgets is ignored", "B12", {
    wrap: (store) => altered(store, { listBudgets: (cursor) => store.listBudgets(cursor) }),
  }),
];

/** Tells what it should, but for some of it. */
function telling(change: (snapshot: BudgetSnapshot) => Partial<BudgetSnapshot>): NonNullable<BudgetFlaw["inspect"]> {
  return (_, proceed) => {
    const snapshot = proceed();
    return snapshot && { ...snapshot, ...change(snapshot) };
  };
}
