import { type CaseDefinition, casesOf } from "../../case.ts";
import { randomSchedule } from "../../demand/random-schedule.ts";

/** Fewer slots than members, some for each, and so many that some are kept for idle members. */
const CAPACITIES = [1, 4, 9, 97];
/** Calls with each, on a store that is not slow by nature. */
const STEPS = 80;

export const slotSchedules: readonly CaseDefinition[] = casesOf({ rule: "R29", needs: ["ledger", "slots"] }, [
  {
    name: "in random schedules every answer about slots is what the ledger of core gives to the same requests at the same times",
    why: "a port that gives slots in another order here and there would let some members wait for long",
    async run(context) {
      const steps = Math.ceil(STEPS / Math.sqrt(context.ms(1)));
      for (const max of CAPACITIES) await randomSchedule(context, { max, steps, members: 6, slots: true });
    },
  },
]);
