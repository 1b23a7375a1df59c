import type { Runtime } from "../runtime/runtime.ts";
import { whenAborted } from "./when-aborted.ts";

/** Resolves after a time; rejects with the signal's reason when that comes first. */
export function elapsed(
  runtime: Runtime,
  ms: number,
  signal?: AbortSignal | undefined,
  options?: { readonly keepAlive: boolean },
): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const timer = runtime.setTimer(
      () => {
        stopListening?.();
        resolve();
      },
      ms,
      options,
    );
    const stopListening =
      signal &&
      whenAborted(signal, () => {
        timer.cancel();
        reject(signal.reason);
      });
  });
}
