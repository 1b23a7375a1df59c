import type { Runtime } from "@dt/core";

/** Doubling more often than this is longer than any pause may be. */
const MOST_DOUBLINGS = 20;

/**
 * How long a callee is left alone that refuses calls without a readable time: about a second, twice as long each time
 * in a row. A callee that has taken calls within the last second is not shut for everybody: it refuses a part of its
 * calls, which is for a limit or a rejection to see to.
 */
export class Refusals {
  readonly #runtime: Runtime;
  readonly #firstMs: number;
  #row = 0;
  #succeededAtMs = Number.NEGATIVE_INFINITY;
  #refusedAtMs = Number.NEGATIVE_INFINITY;

  /** @param firstMs the shortest wait; 0 for none at all */
  constructor(runtime: Runtime, firstMs: number) {
    this.#runtime = runtime;
    this.#firstMs = firstMs;
  }

  /** The callee took a call. */
  succeeded(): void {
    this.#row = 0;
    this.#succeededAtMs = this.#runtime.now();
  }

  /**
   * For how many milliseconds nothing should go out after a refusal. Calls that were under way together are one
   * refusal: one that went out before the last refusal adds nothing to it.
   */
  refused(wentOutMs: number): number {
    const nowMs = this.#runtime.now();
    if (nowMs - this.#succeededAtMs < this.#firstMs || wentOutMs <= this.#refusedAtMs) return 0;
    this.#refusedAtMs = nowMs;
    const ms = refusalPauseMs(this.#runtime, this.#firstMs, this.#row);
    this.#row += 1;
    return ms;
  }
}

/**
 * A wait that doubles, and up to half of it more at random: callers that were refused together do not come together.
 */
export function refusalPauseMs(runtime: Runtime, firstMs: number, row: number): number {
  return firstMs * 2 ** Math.min(row, MOST_DOUBLINGS) * (1 + runtime.random() / 2);
}
