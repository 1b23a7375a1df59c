import type { TimedReservation } from "./held-instants.ts";

/** Sums of local times are rounded to about as much, in milliseconds. */
const ROUNDING_MS = 0.01;

/** Ends that the store states are one and the same when they are no further apart. */
const SAME_MS = 1;

/** The pause of a key (P15) as this process knows it, in local time: asked for here, or told by an answer. */
export class KnownPause {
  #untilMs = Number.NEGATIVE_INFINITY;
  /** The end that the store stated last, on its clock. */
  #endMs = Number.NEGATIVE_INFINITY;
  /** It was asked for here, and no answered request has carried it. */
  #isUnsaid = false;
  /** When the last answer was received: one to a request sent before may be older. */
  #heardMs = Number.NEGATIVE_INFINITY;

  /** Its end in local time, never early; `-Infinity` where there is none. */
  get untilMs(): number {
    return this.#untilMs;
  }

  /** What is left of it, in milliseconds; 0 where there is none. */
  leftMs(nowMs: number): number {
    return Math.max(0, this.#untilMs - nowMs);
  }

  /** What a request that is sent now has to say, in milliseconds; 0 for nothing. */
  unsaidMs(nowMs: number): number {
    return this.#isUnsaid ? this.leftMs(nowMs) : 0;
  }

  /** Asks for a pause; false where it would end before the one that is known. */
  ask(untilMs: number): boolean {
    if (untilMs <= this.#untilMs) return false;
    this.#untilMs = untilMs;
    this.#isUnsaid = true;
    return true;
  }

  /**
   * Takes in an answer. The store's word counts, also that a reset ended the pause, unless it is older than what is
   * known.
   * @param saidMs what the request said
   * @returns true where the pause ends later than was known
   */
  hear({ reservation, sentMs, receivedMs }: TimedReservation, saidMs: number): boolean {
    const { pausedForMs, storeTimeMs } = reservation;
    const isSaid = saidMs > 0 && sentMs + saidMs > this.#untilMs - ROUNDING_MS;
    if (isSaid || this.#untilMs <= receivedMs) this.#isUnsaid = false;
    const isOlder = this.#isUnsaid || sentMs < this.#heardMs;
    this.#heardMs = Math.max(this.#heardMs, receivedMs);
    if (pausedForMs === undefined) {
      // A ledger without pauses does not know of one that it was told: this process keeps it.
      if (!isOlder && saidMs === 0) this.#untilMs = Number.NEGATIVE_INFINITY;
      return false;
    }
    const [endMs, untilMs] = [storeTimeMs + pausedForMs, receivedMs + pausedForMs];
    // Of two answers about one end, the quicker one tells more exactly when it comes.
    if (Math.abs(endMs - this.#endMs) < SAME_MS && !this.#isUnsaid) {
      this.#untilMs = Math.min(this.#untilMs, untilMs);
      return false;
    }
    if (isOlder && untilMs <= this.#untilMs) return false;
    const isLonger = untilMs > this.#untilMs;
    this.#endMs = endMs;
    this.#untilMs = untilMs;
    return isLonger;
  }

  /** No instant of an answer may be used before this local time, where the answer does not know of the pause. */
  notBeforeMs({ pausedForMs }: TimedReservation["reservation"]): number {
    return pausedForMs === undefined || this.#isUnsaid ? this.#untilMs : Number.NEGATIVE_INFINITY;
  }
}
