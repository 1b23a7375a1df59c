import { type CaseDefinition, casesOf } from "../../case.ts";
import { randomSchedule } from "../../demand/random-schedule.ts";

/** Few tokens and many, with a token for each that is kept and without. */
const CAPACITIES = [2, 10, 97, 1_000];
/** Calls with each, on a store that is not slow by nature. */
const STEPS = 60;

export const schedules: readonly CaseDefinition[] = casesOf({ rule: "R22", needs: ["ledger", "demand"] }, [
  {
    name: "in random schedules every answer is what the ledger of core gives to the same requests at the same times",
    why: "a port that divides differently here and there would keep its members moving tokens for nothing",
    async run(context) {
      // On a slow store fewer calls: it should take no longer for this case.
      const steps = Math.ceil(STEPS / Math.sqrt(context.ms(1)));
      for (const max of CAPACITIES) await randomSchedule(context, { max, steps, members: 6 });
    },
  },
]);
