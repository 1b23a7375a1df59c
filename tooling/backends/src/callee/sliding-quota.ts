import { Fifo } from "@dt/core/internal";

/** So much may be counted in any window of so long. */
export interface Quota {
  readonly count: number;
  /** How long a window is, in milliseconds. */
  readonly intervalMs: number;
}

/** What one call has used up, counted at one time. */
export interface Use {
  readonly atMs: number;
  amount: number;
}

/**
 * A quota that a callee keeps in a sliding window: each use counts for as long as a window lasts, and then no more. A
 * use may grow later, as the tokens of a call do, and what is added counts at the time of its beginning. Times must not
 * go back.
 */
export class SlidingQuota {
  readonly quota: Quota;
  /** The most that was counted in a window at a time. Uses that grow may take it above the quota. */
  peak = 0;
  /** Those in the window, the oldest first. */
  readonly #uses = new Fifo<Use>();
  #used = 0;

  constructor(quota: Quota) {
    this.quota = quota;
  }

  /** What is counted in the window that ends now. */
  used(nowMs: number): number {
    this.#forget(nowMs);
    return this.#used;
  }

  /**
   * For how long an amount does not fit, in milliseconds, where no use grows or begins until then: 0 where it fits now,
   * infinite where it is more than the whole quota.
   */
  waitMs(amount: number, nowMs: number): number {
    const { count, intervalMs } = this.quota;
    if (amount > count) return Number.POSITIVE_INFINITY;
    let over = this.used(nowMs) + amount - count;
    if (over <= 0) return 0;
    for (const use of this.#uses) {
      over -= use.amount;
      if (over <= 0) return use.atMs + intervalMs - nowMs;
    }
    return intervalMs;
  }

  /** For how long something is counted still, in milliseconds. */
  fullInMs(nowMs: number): number {
    this.#forget(nowMs);
    const last = this.#uses.last;
    return last === undefined ? 0 : last.atMs + this.quota.intervalMs - nowMs;
  }

  /** Counts a use, whether it fits or not. */
  count(amount: number, nowMs: number): Use {
    this.#forget(nowMs);
    const use = { atMs: nowMs, amount };
    this.#uses.push(use);
    this.#grow(amount);
    return use;
  }

  /** A use turned out to be larger. Nothing is counted where the window has left it behind. */
  add(use: Use, amount: number, nowMs: number): void {
    this.#forget(nowMs);
    use.amount += amount;
    if (!this.#hasLeft(use, nowMs)) this.#grow(amount);
  }

  #grow(amount: number): void {
    this.#used += amount;
    this.peak = Math.max(this.peak, this.#used);
  }

  #hasLeft({ atMs }: Use, nowMs: number): boolean {
    return atMs <= nowMs - this.quota.intervalMs;
  }

  #forget(nowMs: number): void {
    for (let oldest = this.#uses.first; oldest && this.#hasLeft(oldest, nowMs); oldest = this.#uses.first) {
      this.#uses.shift();
      this.#used -= oldest.amount;
    }
  }
}
