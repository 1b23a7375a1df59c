import type { Runtime, Timer } from "@dt/core";
import { whenAborted } from "@dt/core/kit";

/**
 * Ends a request when its caller gives it up or its time is up: the time to the headers first, then that to the end of
 * the body.
 */
export class Deadline {
  readonly #runtime: Runtime;
  readonly #abort: (reason: unknown) => void;
  readonly #stopListening: (() => void) | undefined;
  #timer: Timer | undefined;
  /**
   * When the timer calls: perhaps too early, and then it is set once more. That is cheaper than one timer for the head
   * and one for the body.
   */
  #callsAtMs = Number.POSITIVE_INFINITY;
  #dueMs = 0;
  #ms = 0;
  #what = "";

  constructor(runtime: Runtime, signal: AbortSignal | undefined, abort: (reason: unknown) => void) {
    this.#runtime = runtime;
    this.#abort = abort;
    this.#stopListening = signal && whenAborted(signal, () => abort(signal.reason));
  }

  /** From now on there is so much time for what is named. */
  set(ms: number, what: string): void {
    this.#ms = ms;
    this.#what = what;
    this.#dueMs = this.#runtime.now() + ms;
    if (this.#dueMs < this.#callsAtMs) this.#arm();
  }

  end(): void {
    this.#timer?.cancel();
    this.#stopListening?.();
  }

  #arm(): void {
    this.#timer?.cancel();
    this.#callsAtMs = this.#dueMs;
    // A request keeps the process running by itself, and an answer that nobody reads should not.
    const options = { keepAlive: false };
    this.#timer = this.#runtime.setTimer(() => this.#called(), this.#dueMs - this.#runtime.now(), options);
  }

  #called(): void {
    if (this.#runtime.now() < this.#dueMs) this.#arm();
    else this.#abort(new DOMException(`${this.#what} took longer than ${this.#ms} ms`, "TimeoutError"));
  }
}
