import type { Allowance } from "./plan.ts";

/** The strictest way to count: when every call of the last window was accepted. */
export class SlidingLog {
  readonly #allowance: Allowance;
  /** A ring: as many as are allowed, the oldest at `#oldest` once it is full. */
  readonly #acceptedMs: number[] = [];
  #oldest = 0;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** True, and counted, unless the window that ends now has all that it may have. A refused call is not counted. */
  accepts(nowMs: number): boolean {
    const { limit, windowMs } = this.#allowance;
    if (this.#acceptedMs.length < limit) {
      this.#acceptedMs.push(nowMs);
      return true;
    }
    if (nowMs - (this.#acceptedMs[this.#oldest] as number) < windowMs) return false;
    this.#acceptedMs[this.#oldest] = nowMs;
    this.#oldest = (this.#oldest + 1) % limit;
    return true;
  }
}
