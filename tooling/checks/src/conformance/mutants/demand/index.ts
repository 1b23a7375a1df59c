import type { Mutant } from "../flaw.ts";
import { mixingMutants, overMutants } from "./mixing-mutants.ts";
import { targetMutants } from "./target-mutants.ts";
import { turnMutants } from "./turn-mutants.ts";
import { wantMutants } from "./want-mutants.ts";

/** R21 to R25: shares that follow demand. */
export const demandMutants: readonly Mutant[] = [
  ...wantMutants,
  ...targetMutants,
  ...turnMutants,
  ...overMutants,
  ...mixingMutants,
];
