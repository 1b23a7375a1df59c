/** Hints that are heeded at once after a quiet time: a member joining or leaving makes two, a new generation and an agreement. */
const AT_ONCE = 8;
/** Further ones in a sync interval. */
const IN_AN_INTERVAL = 2;

/**
 * Bounds the syncs that hints cause. Whoever may send on a store's channel can hint without an end; a sync costs the store a write. A hint beyond the
 * budget is heeded late, not dropped: the sync that follows sees all that was hinted meanwhile.
 */
export class HintBudget {
  readonly #everyMs: number;
  #dueMs = Number.NEGATIVE_INFINITY;

  constructor(syncIntervalMs: number) {
    this.#everyMs = syncIntervalMs / IN_AN_INTERVAL;
  }

  /** Takes one sync out of the budget; answers how long it has to wait, in milliseconds. */
  take(nowMs: number): number {
    this.#dueMs = Math.max(this.#dueMs, nowMs - AT_ONCE * this.#everyMs) + this.#everyMs;
    return Math.max(0, this.#dueMs - nowMs);
  }
}
