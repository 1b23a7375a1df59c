import type { CalleeReport, Outcome } from "../outcome/outcome.ts";
import type { Partition } from "./partitions.ts";

/** What a slot has of its limit. */
export interface SlotHome {
  settled(slot: Slot, partition: Partition, outcome: Outcome, report: CalleeReport | undefined): void;
}

/**
 * The right to have one call in flight. Whoever has it says how the call ended, once; what is said later is not heard. A slot that is never settled keeps its place in
 * the limit, so settle it in `finally`, or declare it with `using`.
 */
export class Slot {
  /** What the call weighs. */
  readonly cost: number;
  /** When it was granted, on the runtime's clock, in milliseconds. */
  readonly startedMs: number;
  readonly #home: SlotHome;
  readonly #partition: Partition;
  #settled = false;

  /** Made by `ConcurrencyLimit`. */
  constructor(home: SlotHome, cost: number, partition: Partition, startedMs: number) {
    this.cost = cost;
    this.startedMs = startedMs;
    this.#home = home;
    this.#partition = partition;
  }

  /** The partition it counts in, by name; undefined for none. */
  get partition(): string | undefined {
    return this.#partition.name;
  }

  /** False once the call's end is known. */
  get open(): boolean {
    return !this.#settled;
  }

  /** The call was answered: how long it took is a sample. `report` is what the callee said of it, for example how long it waited there. */
  success(report?: CalleeReport): void {
    this.settle("success", report);
  }

  /** The callee, or something on the way, has too much: 429, 503, RESOURCE_EXHAUSTED, or no answer in time. */
  overload(): void {
    this.settle("overload");
  }

  /** The call failed for another reason, which says nothing about how much the callee can take. */
  failure(): void {
    this.settle("failure");
  }

  /** The call says nothing: it was cancelled by us, or never sent. */
  ignored(): void {
    this.settle("ignored");
  }

  /** Says how the call ended. The slot goes to the next who waits before this returns. */
  settle(outcome: Outcome, report?: CalleeReport): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#home.settled(this, this.#partition, outcome, report);
  }

  /** With `using`: a slot that was not settled by the end of its block is `ignored`. */
  [Symbol.dispose](): void {
    this.settle("ignored");
  }
}
