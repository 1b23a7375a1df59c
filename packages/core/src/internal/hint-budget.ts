/**
 * Hints that are heeded at once after a quiet time: a member joining or leaving makes two, a new generation and an
 * agreement.
 */
const AT_ONCE = 8;
/** Further ones in an interval. */
const IN_AN_INTERVAL = 2;

/**
 * Bounds the calls of the store that hints cause. Whoever may send on a store's channel can hint without an end; a call
 * costs the store a write. A hint beyond the budget is heeded late, not dropped: the call that follows sees all that
 * was hinted meanwhile.
 */
export class HintBudget {
  readonly #everyMs: number;
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(intervalMs: number) {
    this.#everyMs = intervalMs / IN_AN_INTERVAL;
  }

  /**
   * Takes one call out of the budget, unless it had to wait longer than `mostMs`; answers how long it has to wait. In
   * milliseconds.
   */
  take(nowMs: number, mostMs: number = Number.POSITIVE_INFINITY): number {
    const dueMs = Math.max(this.#dueMs, nowMs - AT_ONCE * this.#everyMs) + this.#everyMs;
    const waitMs = Math.max(0, dueMs - nowMs);
    if (waitMs <= mostMs) this.#dueMs = dueMs;
    return waitMs;
  }
}
