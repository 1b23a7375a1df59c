/**
 * How far two monotonic clocks may drift apart, as a fraction. Quartz stays below 0.0002; this leaves a factor of five.
 */
const DRIFT = 0.001;

/**
 * The store's clock as seen from here: an offset from the local monotonic clock, learned from round trips (Cristian's
 * algorithm: the store answered somewhere between sending and receiving, so the error is at most half the round trip)
 * and trusted while its error, growing with drift, stays within a bound. Wall clocks play no part.
 */
export class StoreClock {
  readonly #boundMs: number;
  #offsetMs = 0;
  #errorMs = Number.POSITIVE_INFINITY;
  #takenAtMs = 0;

  /** `boundMs` is the largest error that may ever be assumed; round trips longer than it are not used. */
  constructor(boundMs: number) {
    this.#boundMs = boundMs;
  }

  /** True once a round trip was short enough. */
  get known(): boolean {
    return this.#errorMs !== Number.POSITIVE_INFINITY;
  }

  /** Local time until which the error stays within the bound; 0 before anything is known. */
  get trustedUntilMs(): number {
    return this.known ? this.#takenAtMs + (this.#boundMs - this.#errorMs) / DRIFT : 0;
  }

  /**
   * Learns from one round trip; true when it was used. Keeps the estimate with the smaller error, unless the two
   * contradict each other: then the store's clock has moved.
   */
  observe(sentMs: number, receivedMs: number, storeTimeMs: number): boolean {
    const errorMs = (receivedMs - sentMs) / 2;
    if (errorMs * 2 > this.#boundMs) return false;
    const offsetMs = storeTimeMs - (sentMs + receivedMs) / 2;
    const currentErrorMs = this.#errorAt(receivedMs);
    const contradicts = Math.abs(offsetMs - this.#offsetMs) > errorMs + currentErrorMs;
    if (errorMs > currentErrorMs && !contradicts) return false;
    this.#offsetMs = offsetMs;
    this.#errorMs = errorMs;
    this.#takenAtMs = receivedMs;
    return true;
  }

  /**
   * True when the store's time is later than it can be by what is known: it has jumped ahead, and all epochs between
   * may have been used by others. Asked before {@link observe} learns from the same round trip.
   */
  jumpedAhead(receivedMs: number, storeTimeMs: number): boolean {
    return storeTimeMs - this.toStore(receivedMs) > this.#errorAt(receivedMs);
  }

  /** The store time that has passed at a local time, less the bound or the larger error; 0 while nothing is known. */
  passedMs(localMs: number): number {
    if (!this.known) return 0;
    return this.toStore(localMs) - Math.max(this.#boundMs, this.#errorAt(localMs));
  }

  /** Trusts nothing more until the next short round trip: the local clock stood still. */
  distrust(): void {
    if (this.known) this.#errorMs = this.#boundMs;
  }

  #errorAt(localMs: number): number {
    return this.#errorMs + (localMs - this.#takenAtMs) * DRIFT;
  }

  /** Store time at a local time. */
  toStore(localMs: number): number {
    return localMs + this.#offsetMs;
  }

  /** Local time at a store time. */
  toLocal(storeMs: number): number {
    return storeMs - this.#offsetMs;
  }
}
