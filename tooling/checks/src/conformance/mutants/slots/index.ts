import type { Mutant } from "../flaw.ts";
import { askMutants, offerMutants, slotHintMutants } from "./hint-mutants.ts";
import { judgedMutants, slotQueueMutants } from "./queue-mutants.ts";
import { costlyMutants, slotOrderMutants, slotOverMutants } from "./view-mutants.ts";

/** R28 to R34: the queue of a semaphore. */
export const slotMutants: readonly Mutant[] = [
  ...slotQueueMutants,
  ...judgedMutants,
  ...offerMutants,
  ...askMutants,
  ...slotOverMutants,
  ...slotOrderMutants,
  ...costlyMutants,
  ...slotHintMutants,
];
