import { whenAborted } from "../internal/when-aborted.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { checkStart, type StartOptions } from "./start-options.ts";

/** How a start waits, of a throttle and of a semaphore. */

/** What begins, and what ends a start under way. */
export interface Starter {
  readonly runtime: Runtime;
  readonly storeTimeoutMs: number;
  begin(timeoutMs: number): Promise<void>;
  /** The options' signal was aborted. */
  aborted(reason: unknown): void;
}

/** Starts as the options say. Rejects as the start does, and with the reason of the signal, which ends the start. */
export async function startWith(options: StartOptions, starter: Starter): Promise<void> {
  const { timeoutMs, signal } = checkStart(options);
  const { runtime, storeTimeoutMs } = starter;
  if (signal?.aborted) {
    starter.aborted(signal.reason);
    throw signal.reason;
  }
  const stopListening = signal && whenAborted(signal, () => starter.aborted(signal.reason));
  // The pauses of a start do not keep the process running; the caller's wait does.
  const keepsAlive = runtime.setTimer(() => undefined, timeoutMs + storeTimeoutMs);
  try {
    await starter.begin(timeoutMs);
  } finally {
    keepsAlive.cancel();
    stopListening?.();
  }
}

/**
 * Waits for a start under way; false when the time is over. Rejects as the start does, and with the signal's reason.
 */
export function startedWithin(
  starting: Promise<void>,
  runtime: Runtime,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle = (how: () => void): void => {
      timer.cancel();
      stopListening?.();
      how();
    };
    // This timer keeps the process running.
    const timer = runtime.setTimer(() => settle(() => resolve(false)), timeoutMs);
    const stopListening = signal && whenAborted(signal, () => settle(() => reject(signal.reason)));
    starting.then(
      () => settle(() => resolve(true)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
