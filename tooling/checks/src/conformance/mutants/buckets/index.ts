import type { Mutant } from "../flaw.ts";
import { callMutants } from "./call-mutants.ts";
import { limitMutants } from "./limit-mutants.ts";
import { repeatMutants } from "./repeat-mutants.ts";
import { resetMutants } from "./reset-mutants.ts";
import { slotMutants } from "./slot-mutants.ts";
import { timeMutants } from "./time-mutants.ts";
import { unitMutants } from "./unit-mutants.ts";

/** Stores whose buckets are broken. */
export const bucketMutants: readonly Mutant[] = [
  ...callMutants,
  ...timeMutants,
  ...unitMutants,
  ...slotMutants,
  ...repeatMutants,
  ...limitMutants,
  ...resetMutants,
];
