import type { DtError, Slot as SlotOfAnyLimiter } from "@dt/core";
import type { Call } from "../outcome/call.ts";
import { type CalleeReport, checkOutcome, type Outcome } from "../outcome/outcome.ts";
import type { Partition } from "./partitions.ts";

/** What a slot has of its limit. */
export interface SlotHome {
  settled(slot: Slot, partition: Partition, outcome: Outcome, report: CalleeReport | undefined): void;
  /** The call of a slot that was held begins; answers what time it is, on the runtime's clock. */
  begun(slot: Slot): number;
  /** The signal of a slot is looked at: from now on it fires when the limit is stopped, or at once where it was. */
  watched(slot: Slot): void;
  /** True once the limit was stopped. */
  readonly stopped: boolean;
}

/** Ends the right of a slot that was not settled in time: its signal fires with this reason. */
export let lose: (slot: Slot, reason: DtError) => void;

/**
 * The right to have one call in flight. It is settled once by how the call ended; a later report changes nothing. A
 * slot that is never settled keeps its place in the limit. So settle it in `finally`, or declare it with `using`: it
 * then counts as `ignored` at the end of its block, unless it was settled before. It goes to the next caller that waits
 * before `settle` returns.
 */
export class Slot implements Call, SlotOfAnyLimiter {
  static {
    lose = (slot, reason) => {
      slot.#ending ??= new AbortController();
      slot.#ending.abort(reason);
    };
  }

  /** What the call weighs. */
  readonly cost: number;
  readonly #partition: Partition;
  #startedMs: number;
  #held: boolean;
  /** Undefined once it was settled. */
  #home: SlotHome | undefined;
  /** Made at the first look at the signal, or when the right ends. */
  #ending: AbortController | undefined;

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

  /**
   * Fires when the right is over although the slot was not settled: with `DT_SLOT_OVERDUE` after `maxHold`, with
   * `DT_SLOT_LOST` when the limit is stopped. Made at the first look.
   */
  get signal(): AbortSignal {
    if (this.#ending === undefined) {
      this.#ending = new AbortController();
      this.#home?.watched(this);
    }
    return this.#ending.signal;
  }

  /** True where the right ended before the slot was settled: `signal` has fired, or would have. */
  get lost(): boolean {
    return this.#ending?.signal.aborted ?? this.#home?.stopped ?? false;
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

  /** The same as `ignored`: what every slot has, of whichever limiter. */
  release(): void {
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
