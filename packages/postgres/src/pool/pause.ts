import type { Runtime } from "@dt/core";

/** Resolves after a time; rejects with the signal's reason when that aborts before. */
export function pause(ms: number, runtime: Runtime, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = runtime.setTimer(() => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    }, ms);
    const giveUp = (): void => {
      timer.cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
  });
}
