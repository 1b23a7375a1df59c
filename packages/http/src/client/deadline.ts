import type { Runtime, Timer } from "@dt/core";
import { whenAborted } from "@dt/core/internal";

/** The times of one request, one after another; and its caller, who may give it up. */
export class Deadline {
  readonly #runtime: Runtime;
  readonly #stopListening: (() => void) | undefined;
  #timer: Timer | undefined;
  /**
   * When the timer calls: perhaps too early, and then it is set once more. That is cheaper than one timer for the head
   * and one for each piece of the body.
   */
  #callsAtMs = Number.POSITIVE_INFINITY;
  #dueMs = Number.POSITIVE_INFINITY;
  #passed: () => void = () => undefined;

  constructor(runtime: Runtime, signal: AbortSignal | undefined, abort: (reason: unknown) => void) {
    this.#runtime = runtime;
    this.#stopListening = signal && whenAborted(signal, () => abort(signal.reason));
  }

  /** From now on there is so much time, and nothing else is timed; `Infinity` for no end. */
  set(ms: number, passed: () => void): void {
    this.#passed = passed;
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
    this.#callsAtMs = Number.POSITIVE_INFINITY;
    if (this.#runtime.now() >= this.#dueMs) this.#passed();
    else if (this.#dueMs < Number.POSITIVE_INFINITY) this.#arm();
  }
}

/** The error of a request for which a time was up. */
export function timeoutError(what: string, ms: number): DOMException {
  return new DOMException(`${what} took longer than ${ms} ms`, "TimeoutError");
}
