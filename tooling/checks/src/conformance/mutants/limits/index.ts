import type { Mutant } from "../flaw.ts";
import { storedGroupMutants } from "./group-mutants.ts";
import { recordMutants } from "./record-mutants.ts";

/** Stores whose stored limits are wrong. */
export const limitMutants: readonly Mutant[] = [...recordMutants, ...storedGroupMutants];
