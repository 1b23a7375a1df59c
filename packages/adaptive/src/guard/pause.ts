import type { Runtime, Timer } from "@dt/core";
import { type Wait, WaitingQueue } from "@dt/core/internal";
import { timeoutError } from "./guard-errors.ts";
import type { GuardSettings } from "./guard-options.ts";

/** A time in which nothing goes out, and the queue of the calls that wait for its end. */
export class Pause {
  readonly #name: string;
  readonly #runtime: Runtime;
  readonly #queue: WaitingQueue<undefined>;
  #untilMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;

  constructor({ name, runtime, maxWaiters }: GuardSettings) {
    this.#name = name;
    this.#runtime = runtime;
    this.#queue = new WaitingQueue<undefined>({
      runtime,
      maxWaiters,
      acquireTimeoutMs: undefined,
      timeoutError: (_, timeoutMs = 0) => timeoutError(name, timeoutMs, this.restMs),
    });
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

  /**
   * Resolves at its end: the highest priority first, then in the order of coming. Rejects with `DT_TIMEOUT` at once
   * when that is later than the call's own time.
   */
  async end(wait: Omit<Wait, "cost">): Promise<void> {
    const { timeoutMs } = wait;
    if (timeoutMs !== undefined && timeoutMs < this.restMs) throw timeoutError(this.#name, timeoutMs, this.restMs);
    return this.#queue.join({ ...wait, cost: 1 });
  }

  /** Ends, and fails the calls that wait. */
  stop(error: unknown): void {
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#timer?.cancel();
    this.#queue.failAll(error);
  }

  #arm(): void {
    // A call that waits keeps the process running.
    this.#timer = this.#runtime.setTimer(() => this.#ended(), this.restMs, { keepAlive: false });
  }

  #ended(): void {
    // A timer of the platform may be early by a fraction.
    if (this.restMs > 0) this.#arm();
    else for (let { first } = this.#queue; first; { first } = this.#queue) first.answer(undefined);
  }
}
