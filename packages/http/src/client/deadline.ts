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

  constructor(runtime: Runtime, signal: AbortSignal | undefined, abort: (reason: unknown) => void) {
    this.#runtime = runtime;
    this.#abort = abort;
    this.#stopListening = signal && whenAborted(signal, () => abort(signal.reason));
  }

  /** From now on there is so much time for what is named. */
  set(ms: number, what: string): void {
    this.#timer?.cancel();
    // A request keeps the process running by itself, and an answer that nobody reads should not.
    this.#timer = this.#runtime.setTimer(
      () => this.#abort(new DOMException(`${what} took longer than ${ms} ms`, "TimeoutError")),
      ms,
      { keepAlive: false },
    );
  }

  end(): void {
    this.#timer?.cancel();
    this.#stopListening?.();
  }
}
