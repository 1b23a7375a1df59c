import type { MemberView } from "@dt/core";
import { ByEpoch } from "./by-epoch.ts";

/** A group's capacity in each epoch: a lower one counts from when it is heard of, a higher one from the next epoch. */
export class CapacityInForce {
  byEpoch: ByEpoch = ByEpoch.NONE;
  #generation = 0;
  #capacity = 0;

  /** @param newest the newest epoch that may have been begun when a generation was answered that is older than this */
  learn({ generation, capacity, poolSize }: MemberView, isFirst: boolean, newest: number): void {
    if (generation <= this.#generation) return;
    if (this.#generation === 0 || (isFirst && poolSize === 1)) this.byEpoch = ByEpoch.constant(capacity);
    else if (capacity > this.#capacity) this.byEpoch = this.byEpoch.raised(capacity - this.#capacity, newest + 1);
    else this.byEpoch = this.byEpoch.lowered(capacity, Number.NEGATIVE_INFINITY);
    this.#generation = generation;
    this.#capacity = capacity;
  }
}
