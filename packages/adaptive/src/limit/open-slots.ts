import type { Runtime, Timer } from "@dt/core";
import type { Slot } from "./slot.ts";

/**
 * Slots by age, and the one timer that looks after the oldest. All may be held for the same time, so whoever was
 * granted first is due first.
 */
export class OpenSlots {
  readonly #runtime: Runtime;
  readonly #maxHoldMs: number;
  readonly #overdue: (slot: Slot, heldMs: number) => void;
  /** In the order they were granted, or begun anew. */
  readonly #slots = new Set<Slot>();
  #timer: Timer | undefined;

  constructor(runtime: Runtime, maxHoldMs: number, overdue: (slot: Slot, heldMs: number) => void) {
    this.#runtime = runtime;
    this.#maxHoldMs = maxHoldMs;
    this.#overdue = overdue;
  }

  add(slot: Slot): void {
    this.#slots.add(slot);
    this.#timer ??= this.#arm(this.#maxHoldMs);
  }

  /** Its age begins anew: it goes behind the others. */
  again(slot: Slot): void {
    if (this.#slots.delete(slot)) this.#slots.add(slot);
  }

  remove(slot: Slot): void {
    this.#slots.delete(slot);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#slots.clear();
  }

  #arm(delayMs: number): Timer {
    // A call in flight keeps its process running by itself.
    return this.#runtime.setTimer(() => this.#look(), delayMs, { keepAlive: false });
  }

  #look(): void {
    this.#timer = undefined;
    const nowMs = this.#runtime.now();
    for (const slot of this.#slots) {
      const heldMs = nowMs - slot.startedMs;
      if (heldMs < this.#maxHoldMs) {
        this.#timer ??= this.#arm(this.#maxHoldMs - heldMs);
        return;
      }
      this.#overdue(slot, heldMs);
    }
  }
}
