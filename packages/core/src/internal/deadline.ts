import { DtError } from "../errors/dt-error.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { whenAborted } from "./when-aborted.ts";

/** What a call with a deadline is told apart by in messages, and what ends it early. */
export interface DeadlineOptions {
  readonly runtime: Runtime;
  /** Milliseconds after which the call is given up. */
  readonly timeoutMs: number;
  /** What is being done, for the message: `"redis sync"`. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** What fails the call at once is in it for as long as the call runs: for those who close what calls go through. */
  readonly pending?: Set<(error: unknown) => void>;
}

/**
 * Runs an operation that may never settle, and settles by the deadline whatever it does. The operation gets a signal
 * that aborts when the deadline passes or the caller gives up; a result that comes later is dropped, an error that
 * comes later is swallowed.
 * @throws DtError `DT_STORE_TIMEOUT` (effect unknown: it may still take effect), `DT_ABORTED`, or what the operation
 *   throws
 */
export function withDeadline<T>(operation: (signal: AbortSignal) => Promise<T>, options: DeadlineOptions): Promise<T> {
  const { runtime, timeoutMs, what, signal, pending: all } = options;
  if (signal?.aborted) return Promise.reject(aborted(what, signal, "definite"));
  return new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    const finish = (settle: () => void): void => {
      timer.cancel();
      stopListening?.();
      all?.delete(fail);
      settle();
    };
    const fail = (error: unknown): void => {
      controller.abort(error);
      finish(() => reject(error));
    };
    const onAbort = (): void => fail(aborted(what, signal as AbortSignal, "unknown"));
    const timer = runtime.setTimer(() => {
      const problem = `was not answered within ${timeoutMs} ms; if the store is only slow, raise its timeout`;
      fail(new DtError("DT_STORE_TIMEOUT", `${what} ${problem}`, { effect: "unknown" }));
    }, timeoutMs);
    all?.add(fail);
    const stopListening = signal && whenAborted(signal, onAbort);
    let pending: Promise<T>;
    try {
      pending = operation(controller.signal);
    } catch (error) {
      pending = Promise.reject(error);
    }
    pending.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}

function aborted(what: string, signal: AbortSignal, effect: "definite" | "unknown"): DtError {
  return new DtError("DT_ABORTED", `${what} was given up by its AbortSignal`, { effect, cause: signal.reason });
}
