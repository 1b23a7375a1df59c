import type { FaultKind, PlannedFault } from "../schedule/plan-faults.ts";

/** Mends a fault; resolves when everything is in order again, as far as that is in anybody's hands. */
export type Mend = () => Promise<void>;

/** A fault that can be brought about. */
export interface Fault extends FaultKind {
  /**
   * Brings it about; resolves when it is in effect, with how to mend it, or with nothing when it did not come about.
   */
  inject(plan: PlannedFault): Promise<Mend | undefined>;
}
