import type { SlotRow } from "@dt/core/ledger";
import { ReferenceSlots } from "@dt-tooling/simulator/reference-slots";

/** The queue of one semaphore, kept as plainly as can be, so that a mutant is a small override. */
export class PlainSlots extends ReferenceSlots {
  /** While true, an operation finds the queue empty. */
  hidden = false;

  override queued(most: number): SlotRow[] {
    return this.hidden ? [] : super.queued(most);
  }

  /** Takes over the content of another one. */
  become(other: ReferenceSlots): void {
    this.rows.clear();
    for (const row of other.rows.values()) this.rows.set(row.incarnation, { ...row });
    this.hints = [...other.hints];
  }
}
