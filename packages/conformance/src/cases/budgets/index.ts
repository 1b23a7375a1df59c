import type { CaseDefinition } from "../../case.ts";
import { arguments_ } from "./arguments.ts";
import { atomicity } from "./atomicity.ts";
import { calls } from "./calls.ts";
import { changes } from "./changes.ts";
import { inspection } from "./inspection.ts";
import { isolation } from "./isolation.ts";
import { learning } from "./learning.ts";
import { listing } from "./listing.ts";
import { outages } from "./outages.ts";
import { pause } from "./pause.ts";
import { repeats } from "./repeats.ts";
import { reservation } from "./reservation.ts";
import { reset } from "./reset.ts";
import { settlement } from "./settlement.ts";
import { stated } from "./stated.ts";
import { storeTime } from "./store-time.ts";
import { storedLimits } from "./stored-limits.ts";
import { terms } from "./terms.ts";
import { window } from "./window.ts";

/** The cases of the budget contract (B1 to B13): they run when the store keeps budgets. */
export const budgetCases: readonly CaseDefinition[] = [
  ...atomicity,
  ...window,
  ...storeTime,
  ...reservation,
  ...changes,
  ...pause,
  ...storedLimits,
  ...settlement,
  ...learning,
  ...stated,
  ...repeats,
  ...terms,
  ...reset,
  ...inspection,
  ...listing,
  ...isolation,
  ...calls,
  ...arguments_,
  ...outages,
];
