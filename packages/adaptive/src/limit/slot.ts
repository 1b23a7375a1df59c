import { SettledOnce } from "../outcome/call.ts";
import type { CalleeReport, Outcome } from "../outcome/outcome.ts";
import type { Partition } from "./partitions.ts";

/** What a slot has of its limit. */
export interface SlotHome {
  settled(slot: Slot, partition: Partition, outcome: Outcome, report: CalleeReport | undefined): void;
}

/**
 * The right to have one call in flight. Whoever has it says how the call ended, once; what is said later is not heard. A slot that is never settled keeps its place in
 * the limit, so settle it in `finally`, or declare it with `using`: it is then `ignored` at the end of its block, unless it was settled before. It goes to the next who
 * waits before `settle` returns.
 */
export class Slot extends SettledOnce {
  /** What the call weighs. */
  readonly cost: number;
  /** When it was granted, on the runtime's clock, in milliseconds. */
  readonly startedMs: number;
  readonly #home: SlotHome;
  readonly #partition: Partition;

  /** Made by `ConcurrencyLimit`. */
  constructor(home: SlotHome, cost: number, partition: Partition, startedMs: number) {
    super();
    this.cost = cost;
    this.startedMs = startedMs;
    this.#home = home;
    this.#partition = partition;
  }

  /** The partition it counts in, by name; undefined for none. */
  get partition(): string | undefined {
    return this.#partition.name;
  }

  protected override settled(outcome: Outcome, report: CalleeReport | undefined): void {
    this.#home.settled(this, this.#partition, outcome, report);
  }
}
