import { HintBudget } from "../internal/hint-budget.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";

/** Hints may cause eight calls at once, and two in so many milliseconds after that. */
const HINT_INTERVAL_MS = 1_000;

/**
 * The wait after a refusal. A hint ends it early, within a {@link HintBudget}; hints that come while nobody waits cost
 * nothing.
 */
export class BackOff {
  readonly #runtime: Runtime;
  readonly #over: () => void;
  readonly #budget = new HintBudget(HINT_INTERVAL_MS);
  #timer: Timer | undefined;
  #dueMs = 0;
  /** A hint has made this wait shorter. */
  #hinted = false;

  /** @param over called when a wait is over */
  constructor(runtime: Runtime, over: () => void) {
    this.#runtime = runtime;
    this.#over = over;
  }

  get waiting(): boolean {
    return this.#timer !== undefined;
  }

  /** What is left of the wait, in milliseconds; undefined when there is none. */
  get leftMs(): number | undefined {
    return this.#timer && this.#dueMs - this.#runtime.now();
  }

  wait(forMs: number): void {
    this.cancel();
    this.#dueMs = this.#runtime.now() + forMs;
    this.#timer = this.#runtime.setTimer(() => this.#end(), forMs);
  }

  hint(): void {
    if (!this.#timer || this.#hinted) return;
    const leftMs = this.#dueMs - this.#runtime.now();
    const afterMs = this.#budget.take(this.#runtime.now(), leftMs);
    if (afterMs >= leftMs) return;
    this.#hinted = true;
    this.#timer.cancel();
    this.#timer = this.#runtime.setTimer(() => this.#end(), afterMs);
  }

  cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#hinted = false;
  }

  #end(): void {
    this.cancel();
    this.#over();
  }
}
