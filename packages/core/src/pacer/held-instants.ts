import type { Reservation } from "../contract/permit-ledger.ts";
import { instantOf } from "../permits/permits.ts";

/** An answer and the local times between which the store gave it. */
export interface TimedReservation {
  readonly reservation: Reservation;
  readonly sentMs: number;
  readonly receivedMs: number;
  /** No instant of it may be used before, since a pause was asked for that the answer does not know of. */
  readonly notBeforeMs?: number;
}

/**
 * One reserved instant in local time. Where the store's clock stood is known only to within the round trip, so each end
 * of its life is the safe one.
 */
export interface HeldInstant {
  /** Which reservation it belongs to, and its place in it. */
  readonly id: string;
  readonly index: number;
  /** Never early: counted from the receipt of the answer. */
  readonly dueMs: number;
  /** Never used late: counted from when the request was sent. */
  readonly expiresMs: number;
}

/** The instants of an answer that may be used, in order. */
export function heldInstants(id: string, timed: TimedReservation, permitTtlMs: number): HeldInstant[] {
  const { reservation, sentMs, receivedMs, notBeforeMs = Number.NEGATIVE_INFINITY } = timed;
  const instants = Array.from({ length: reservation.granted }, (_, index) => {
    // Negative when a request is answered again what it was granted before (P6): the instant may have gone by.
    const delayMs = instantOf(reservation, index) - reservation.storeTimeMs;
    return { id, index, dueMs: receivedMs + delayMs, expiresMs: sentMs + delayMs + permitTtlMs };
  });
  return instants.filter(({ dueMs }) => dueMs >= notBeforeMs);
}

/** Instants in order of time, of however many reservations. */
export class HeldInstants {
  /** Latest first: the next one is taken from the end, and a new one mostly goes to the front. */
  readonly #instants: HeldInstant[] = [];

  get size(): number {
    return this.#instants.length;
  }

  get next(): HeldInstant | undefined {
    return this.#instants.at(-1);
  }

  /** The instant with `position` others before it. */
  at(position: number): HeldInstant | undefined {
    return this.#instants[this.#instants.length - 1 - position];
  }

  /** Puts an instant behind those that are due before it or with it. */
  add(instant: HeldInstant): void {
    let low = 0;
    let high = this.#instants.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#instants[middle] as HeldInstant).dueMs > instant.dueMs) low = middle + 1;
      else high = middle;
    }
    this.#instants.splice(low, 0, instant);
  }

  take(): HeldInstant | undefined {
    return this.#instants.pop();
  }

  /** Drops those before a time. */
  dropBefore(ms: number): void {
    while ((this.next?.dueMs ?? Number.POSITIVE_INFINITY) < ms) this.#instants.pop();
  }

  /**
   * Drops the latest `count`; returns how many of each reservation concerned, from its front, stay. Instants of one
   * reservation are in its order, so its end goes first.
   */
  dropLatest(count: number): Map<string, number> {
    const kept = new Map<string, number>();
    for (const { id, index } of this.#instants.splice(0, count)) kept.set(id, index);
    return kept;
  }
}
