import type { Reservation } from "./permit-ledger.ts";
import { instantOf } from "./permits.ts";

/**
 * One reservation on this side of the wire: instants in order, in local time, and who they are for. Callers take them from the front; a caller
 * that gives up hands its instant to the one behind it, so that what is left over is always at the end, where the store can take it back.
 */
export class PermitBlock<T> {
  readonly id: string;
  /** Local times of the instants, ascending. Never early: counted from the receipt of the answer. */
  readonly #dueMs: number[];
  /** Instants used or wasted, from the front. */
  #done = 0;
  readonly #callers: T[] = [];

  constructor(id: string, reservation: Reservation, receivedMs: number) {
    this.id = id;
    this.#dueMs = Array.from(
      { length: reservation.granted },
      (_, i) => receivedMs + Math.max(0, instantOf(reservation, i) - reservation.storeTimeMs),
    );
  }

  /** Instants that nobody has taken. */
  get spare(): number {
    return this.#dueMs.length - this.#done - this.#callers.length;
  }

  /** Callers waiting for their instant. */
  get waiting(): number {
    return this.#callers.length;
  }

  /** True when every instant is used, wasted or given back. */
  get finished(): boolean {
    return this.#done === this.#dueMs.length;
  }

  /** When the next instant comes that is neither used nor wasted; `Infinity` when there is none. */
  get nextMs(): number {
    return this.#dueMs[this.#done] ?? Number.POSITIVE_INFINITY;
  }

  /** When the first spare instant comes. */
  get spareMs(): number {
    return this.#dueMs[this.#done + this.#callers.length] ?? Number.POSITIVE_INFINITY;
  }

  /** Assigns the first spare instant. */
  assign(caller: T): void {
    this.#callers.push(caller);
  }

  /** Drops the spare instants; returns how many of the reservation, from the front, stay reserved. */
  dropSpare(): number {
    this.#dueMs.length = this.#done + this.#callers.length;
    return this.#dueMs.length;
  }

  /** Takes the next instant off, with its caller if it has one. */
  shift(): T | undefined {
    this.#done += 1;
    return this.#callers.shift();
  }

  /** Takes every caller out, in order. */
  drain(): T[] {
    return this.#callers.splice(0);
  }

  /** Takes a caller out; those behind it move up. True when it was here. */
  remove(caller: T): boolean {
    const index = this.#callers.indexOf(caller);
    if (index >= 0) this.#callers.splice(index, 1);
    return index >= 0;
  }
}
