import type { Mutant } from "../flaw.ts";
import { callMutants } from "./call-mutants.ts";
import { inspectionMutants } from "./inspection-mutants.ts";
import { pauseMutants } from "./pause-mutants.ts";
import { repeatMutants } from "./repeat-mutants.ts";
import { reservationMutants } from "./reservation-mutants.ts";
import { resetMutants } from "./reset-mutants.ts";
import { settlementMutants } from "./settlement-mutants.ts";
import { storedBudgetMutants } from "./stored-limit-mutants.ts";
import { termsMutants } from "./terms-mutants.ts";
import { timeMutants } from "./time-mutants.ts";
import { windowMutants } from "./window-mutants.ts";

/** Stores whose budgets are broken. */
export const budgetMutants: readonly Mutant[] = [
  ...callMutants,
  ...timeMutants,
  ...reservationMutants,
  ...windowMutants,
  ...pauseMutants,
  ...settlementMutants,
  ...repeatMutants,
  ...termsMutants,
  ...resetMutants,
  ...inspectionMutants,
  ...storedBudgetMutants,
];
