import type { Call } from "../outcome/call.ts";
import { type CalleeReport, checkOutcome, type Outcome } from "../outcome/outcome.ts";
import type { Partition } from "./partitions.ts";

/** What a slot has of its limit. */
export interface SlotHome {
  settled(slot: Slot, partition: Partition, outcome: Outcome, report: CalleeReport | undefined): void;
  /** The call of a slot that was held begins; answers what time it is, on the runtime's clock. */
  begun(slot: Slot): number;
}

/**
 * The right to have one call in flight. It is settled once by how the call ended; a later report changes nothing. A
 * slot that is never settled keeps its place in the limit. So settle it in `finally`, or declare it with `using`: it
 * then counts as `ignored` at the end of its block, unless it was settled before. It goes to the next caller that waits
 * before `settle` returns.
 */
export class Slot implements Call {
  /** What the call weighs. */
  readonly cost: number;
  readonly #partition: Partition;
  #startedMs: number;
  #held: boolean;
  /** Undefined once it was settled. */
  #home: SlotHome | undefined;

  // Not derived from what is settled once elsewhere: that would cost as much as the rest of a grant.
  /** Made by `ConcurrencyLimit`. */
  constructor(home: SlotHome, cost: number, partition: Partition, startedMs: number, held: boolean) {
    this.cost = cost;
    this.#startedMs = startedMs;
    this.#held = held;
    this.#partition = partition;
    this.#home = home;
  }

  /** When it was granted, or begun after it was held, on the runtime's clock, in milliseconds. */
  get startedMs(): number {
    return this.#startedMs;
  }

  /** True while its call has not begun: it was acquired as `held`. */
  get held(): boolean {
    return this.#held;
  }

  /** The call of a slot that was acquired as `held` begins now. */
  begin(): void {
    if (!this.#held || this.#home === undefined) return;
    this.#startedMs = this.#home.begun(this);
    this.#held = false;
  }

  get open(): boolean {
    return this.#home !== undefined;
  }

  /** The partition it counts in, by name; undefined for none. */
  get partition(): string | undefined {
    return this.#partition.name;
  }

  success(report?: CalleeReport): void {
    this.settle("success", report);
  }

  overload(): void {
    this.settle("overload");
  }

  failure(): void {
    this.settle("failure");
  }

  ignored(): void {
    this.settle("ignored");
  }

  settle(outcome: Outcome, report?: CalleeReport): void {
    const home = this.#home;
    if (home === undefined) return;
    checkOutcome(outcome);
    this.#home = undefined;
    home.settled(this, this.#partition, outcome, report);
  }

  [Symbol.dispose](): void {
    this.settle("ignored");
  }
}
