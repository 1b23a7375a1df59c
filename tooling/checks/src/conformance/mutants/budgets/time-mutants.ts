import { budgetMutant, type Mutant } from "../flaw.ts";
import { wallClockErrorMs } from "../wall-clock-error.ts";
import { patchBudget } from "./budget-rows.ts";

const HOUR_MS = 3_600_000;

/** B2: whose time, and which way it goes. */
export const timeMutants: readonly Mutant[] = [
  budgetMutant("a budget takes its caller's wall clock (Date.now)", "B2", {
    clock: (nowMs) => nowMs + wallClockErrorMs(),
  }),
  budgetMutant("a budget's time goes back with the server's clock", "B2", {
    spend: ({ table, nowMs }, proceed) => {
      patchBudget(table, ({ lastMs }) => (nowMs < lastMs ? { lastMs: nowMs, offsetMs: 0 } : {}));
      return proceed();
    },
  }),
  budgetMutant("a budget's time stands still once it would go back", "B2", {
    spend: ({ table, nowMs }, proceed) => {
      const { lastMs = nowMs } = table.budget ?? {};
      patchBudget(table, () => ({ offsetMs: Math.max(0, lastMs - nowMs) }));
      return proceed();
    },
  }),
  budgetMutant("each client of a budget has a clock of its own", "B2", {
    clock: (nowMs, client) => nowMs + (client % 2) * HOUR_MS,
  }),
  budgetMutant("a jump of the server's clock is no time for a budget", "B2", {
    spend: ({ table, nowMs }, proceed) => {
      patchBudget(table, ({ lastMs, offsetMs }) => {
        const jumpMs = nowMs + offsetMs - lastMs;
        return jumpMs > HOUR_MS / 2 ? { offsetMs: offsetMs - jumpMs } : {};
      });
      return proceed();
    },
  }),
];
