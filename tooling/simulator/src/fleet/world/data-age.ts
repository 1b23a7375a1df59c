/** The most that counts of the time between two groups that are made, as in Redis and PostgreSQL. */
const STRETCH_MS = 1_000;

/**
 * How long a store's data was certainly whole, by the store's own reckoning. It has no clock but one that jumps, so
 * that an interval of that clock is no age: it adds up stretches between groups that are made, each up to a bound. Its
 * world has a single group, so that no other one proves more.
 */
export class DataAge {
  readonly #by: "sums" | "clock";
  #markedMs = 0;
  #livedMs = Number.POSITIVE_INFINITY;
  #lookedMs = 0;

  /** @param by what it goes by: `clock` is the fault that the data look old after a loss and a jump */
  constructor(by: "sums" | "clock") {
    this.#by = by;
  }

  /** @param clockMs the server's clock when the data was lost */
  lost(clockMs: number): void {
    this.#markedMs = clockMs;
    this.#livedMs = 0;
    this.#lookedMs = clockMs;
  }

  /** A group is made: time on the server's clock since which nothing was lost. */
  sinceMs(clockMs: number): number {
    if (this.#by === "clock") return this.#markedMs;
    this.#livedMs += Math.max(0, Math.min(clockMs - this.#lookedMs, STRETCH_MS));
    this.#lookedMs = clockMs;
    return Math.max(this.#markedMs, clockMs - Math.max(0, this.#livedMs - STRETCH_MS));
  }
}
