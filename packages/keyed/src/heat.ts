/** A call counts for about so long, in milliseconds. */
const MEMORY_MS = 1_000;
/** So many calls a second make a key hot. */
const HOT = 3;

/** How much is asked of a key, by the calls of about the last second. */
export class Heat {
  #calls = 0;
  #units = 0;
  #granted = 0;
  #lastMs = 0;

  /** A call of this cost comes. */
  add(cost: number, nowMs: number): void {
    this.#cool(nowMs);
    this.#calls += 1;
    this.#units += cost;
  }

  /** A call of this cost goes on. */
  grant(cost: number, nowMs: number): void {
    this.#cool(nowMs);
    this.#granted += cost;
  }

  isHot(nowMs: number): boolean {
    this.#cool(nowMs);
    return this.#calls >= HOT;
  }

  /** Units a second that are asked for. */
  rate(nowMs: number): number {
    this.#cool(nowMs);
    return this.#units;
  }

  /** The part of a rate that the calls of this process get, from 0 to 1. */
  share(everyMs: number, nowMs: number): number {
    this.#cool(nowMs);
    return Math.min(1, (this.#granted * everyMs) / MEMORY_MS);
  }

  #cool(nowMs: number): void {
    if (nowMs <= this.#lastMs) return;
    const left = Math.exp((this.#lastMs - nowMs) / MEMORY_MS);
    this.#calls *= left;
    this.#units *= left;
    this.#granted *= left;
    this.#lastMs = nowMs;
  }
}
