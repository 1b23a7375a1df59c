/**
 * Allows at most `max` events in any window of `windowMs`, exactly: the times of the last `max` allowed events, in a
 * ring.
 */
export class SlidingWindow {
  readonly #windowMs: number;
  readonly #allowedAtMs: Float64Array;
  #oldest = 0;

  constructor(max: number, windowMs: number) {
    this.#windowMs = windowMs;
    this.#allowedAtMs = new Float64Array(max).fill(Number.NEGATIVE_INFINITY);
  }

  /** Whether one more event may happen at `atMs`; if so, it is counted. Times must not go back. */
  allow(atMs: number): boolean {
    if ((this.#allowedAtMs[this.#oldest] as number) > atMs - this.#windowMs) return false;
    this.#allowedAtMs[this.#oldest] = atMs;
    this.#oldest = (this.#oldest + 1) % this.#allowedAtMs.length;
    return true;
  }
}

/**
 * The most events in any window of `windowMs` (a window contains its end, not its start). `timesMs` must be in order.
 */
export function worstWindow(timesMs: ArrayLike<number>, windowMs: number): number {
  let worst = 0;
  let first = 0;
  for (let last = 0; last < timesMs.length; last++) {
    while ((timesMs[first] as number) <= (timesMs[last] as number) - windowMs) first++;
    worst = Math.max(worst, last - first + 1);
  }
  return worst;
}
