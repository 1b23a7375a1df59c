import type { Runtime } from "./runtime.ts";

/** Shorter suspensions are left to the store's answers: a reading may be in whole seconds. */
const NOTICED_MS = 1_500;

/**
 * Notices that the machine was suspended, by a clock that counts that time and the local one that does not. Nothing
 * runs meanwhile, so that it is noticed late: at the first look after waking.
 */
export class SleepWatch {
  readonly #runtime: Runtime;
  #aheadMs: number;
  #count = 0;
  /** How long the machine was suspended when that was noticed last, in milliseconds. */
  lastMs = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#aheadMs = this.#ahead();
  }

  /**
   * How many suspensions were noticed. Whoever waits for an answer compares: another one may have looked first, before
   * the answer was read.
   */
  get count(): number {
    return this.#count;
  }

  /** True once for each suspension since the last {@link settle}. */
  noticed(): boolean {
    const aheadMs = this.#ahead();
    // A reading that failed says nothing; the next one that does not is compared with the last good one.
    if (Number.isNaN(this.#aheadMs)) this.#aheadMs = aheadMs;
    if (!(aheadMs - this.#aheadMs >= NOTICED_MS)) return false;
    this.lastMs = aheadMs - this.#aheadMs;
    this.#aheadMs = aheadMs;
    this.#count += 1;
    return true;
  }

  /**
   * Forgets what was slept so far, less than is noticed: the store has answered since, and validity counts from there.
   * Without this, short suspensions would add up, and one long past would be noticed whenever a coarse reading is next
   * rounded the other way.
   */
  settle(): void {
    const aheadMs = this.#ahead();
    if (!Number.isNaN(aheadMs)) this.#aheadMs = aheadMs;
  }

  #ahead(): number {
    return (this.#runtime.bootTimeMs?.() ?? Number.NaN) - this.#runtime.now();
  }
}
