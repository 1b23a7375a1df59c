import { DtError, type Runtime, type Timer } from "@dt/core";
import { describe, orUndefined, type Wait, WaitingQueue } from "@dt/core/internal";
import type { GuardSettings } from "./guard-options.ts";

/** A time in which nothing goes out, and the queue of those who wait for its end. */
export class Pause {
  readonly #runtime: Runtime;
  readonly #queue: WaitingQueue<true>;
  #untilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor({ name, runtime, maxWaiters, acquireTimeoutMs }: GuardSettings) {
    this.#runtime = runtime;
    const timeoutError = (): DtError =>
      new DtError(
        "DT_TIMEOUT",
        `the guard ${describe(name)} was paused for acquireTimeout (${acquireTimeoutMs} ms); pass { timeout } to be answered undefined instead, or try again later`,
      );
    this.#queue = new WaitingQueue({ runtime, maxWaiters, acquireTimeoutMs, timeoutError });
  }

  /** How much longer it lasts, in milliseconds; 0 while there is none. */
  get restMs(): number {
    return Math.max(0, this.#untilMs - this.#runtime.now());
  }

  /**
   * Lasts for so long from now on, or as long as it did before where that is longer; true when it lasts longer than
   * before.
   */
  lengthen(forMs: number): boolean {
    const untilMs = this.#runtime.now() + forMs;
    if (forMs <= 0 || untilMs <= this.#untilMs) return false;
    this.#untilMs = untilMs;
    this.#timer?.cancel();
    this.#arm();
    return true;
  }

  /** True at its end, in the order of coming; undefined when that is later than the call's own time. */
  async end(wait: Omit<Wait, "cost">): Promise<true | undefined> {
    if (wait.timeoutMs !== undefined && wait.timeoutMs < this.restMs) return undefined;
    return orUndefined(this.#queue.join({ ...wait, cost: 1 }), wait.timeoutMs);
  }

  stop(error: unknown): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#timer?.cancel();
    this.#queue.failAll(error);
  }

  #arm(): void {
    // Whoever waits keeps the process running.
    this.#timer = this.#runtime.setTimer(() => this.#ended(), this.restMs, { keepAlive: false });
  }

  #ended(): void {
    // A timer of the platform may be early by a fraction.
    if (this.restMs > 0) this.#arm();
    else while (this.#queue.first) this.#queue.first.answer(true);
  }
}
