import { checkDuration, checkKeys, checkSignal } from "../kit/check.ts";
import type { AcquireOptions } from "./options.ts";

const ACQUIRE_OPTIONS: ReadonlySet<string> = new Set<keyof AcquireOptions>(["timeout", "signal"]);

/**
 * How long a caller waits, in milliseconds, and what ends its waiting.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkAcquire(options: AcquireOptions = {}): {
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
} {
  checkKeys("options", options, ACQUIRE_OPTIONS);
  const { timeout, signal } = options;
  const timeoutMs = timeout === undefined ? undefined : checkDuration("timeout", timeout, 0);
  return { timeoutMs, signal: checkSignal(signal) };
}
