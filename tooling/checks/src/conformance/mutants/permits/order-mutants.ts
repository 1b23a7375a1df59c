import type { FreedInstant } from "@dt/core/ledger";
import { type Mutant, permitMutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P5: what comes next. */
export const orderMutants: readonly Mutant[] = [
  permitMutant("an instant that was given back is given when its time has passed", "P5", {
    table: class extends PlainPermitTable {
      override takeFreed(_nowMs: number, widthMs: number): FreedInstant | undefined {
        return super.takeFreed(0, widthMs);
      }
    },
  }),
  permitMutant("later reservations overtake those before", "P5", {
    reserve: ({ table, request }, proceed) => {
      const answer = proceed();
      const last = [...table.entries.values()].at(-2);
      const swaps = table.entries.size % 4 === 3 && answer.granted === 1 && last && last.granted === 1;
      if (!swaps || request.burst > 1) return answer;
      // Its instant for the one before, which nobody asks for again.
      return { ...answer, firstMs: last.firstMs, earliestMs: last.earliestMs };
    },
  }),
];
