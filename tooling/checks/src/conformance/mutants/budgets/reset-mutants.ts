import { altered } from "../altered.ts";
import { budgetMutant, type Mutant, mutant } from "../flaw.ts";

/** B11: what a reset leaves. */
export const resetMutants: readonly Mutant[] = [
  budgetMutant("a reset leaves leases, whose settlement gives back what others spend", "B11", {
    reset: (table, proceed) => {
      const leases = new Map(table.leases);
      proceed();
      table.leases = leases;
    },
  }),
  budgetMutant("a reset leaves a pause", "B11", {
    reset: (table, proceed) => {
      const { lastMs = 0, pausedUntilMs = 0 } = table.budget ?? {};
      proceed();
      if (pausedUntilMs > lastMs) table.putRow({ lastMs, offsetMs: 0, pausedUntilMs, limits: [] });
    },
  }),
  budgetMutant("a reset leaves the terms of a budget", "B11", {
    reset: (table, proceed) => {
      const { lastMs = 0, terms } = table.budget ?? {};
      proceed();
      if (terms) table.putRow({ lastMs, offsetMs: 0, pausedUntilMs: 0, terms, limits: [] });
    },
  }),
  budgetMutant("a reset leaves what was charged", "B11", {
    reset: (table, proceed) => {
      const { lastMs = 0, limits = [] } = table.budget ?? {};
      proceed();
      if (limits.length > 0) table.putRow({ lastMs, offsetMs: 0, pausedUntilMs: 0, limits });
    },
  }),
  mutant("a reset takes along every budget whose name begins like it", "B11", {
    wrap: (store, server) =>
      altered(store, {
        resetBudget: async (budget, signal) => {
          for (const other of server.budgets.keys())
            if (other.startsWith(budget)) await store.resetBudget(other, signal);
          await store.resetBudget(budget, signal);
        },
      }),
  }),
  budgetMutant("a budget whose data is damaged is served as if it were new", "B11", { damaged: "served" }),
  budgetMutant("a reset does not mend a budget whose data is damaged", "B11", { damaged: "kept" }),
];
