/** Round trips that are looked back on. */
const KEPT = 9;

/** How long the store takes to answer: the median of the last round trips. */
export class RoundTrips {
  readonly #lastMs: number[] = [];
  /** In milliseconds; 0 before the first one. */
  medianMs = 0;

  note(ms: number): void {
    this.#lastMs.push(ms);
    if (this.#lastMs.length > KEPT) this.#lastMs.shift();
    const sorted = this.#lastMs.toSorted((a, b) => a - b);
    this.medianMs = sorted[Math.floor(sorted.length / 2)] as number;
  }
}
