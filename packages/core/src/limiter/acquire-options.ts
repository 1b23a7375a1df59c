import { checkDuration, checkInteger, checkKeys, checkSignal } from "../internal/check.ts";
import type { Duration } from "../internal/duration.ts";

/** How one caller waits. Every limiter takes these options, in `acquire`, `run` and `wrap`. */
export interface AcquireOptions {
  /**
   * Ends the wait: the call rejects with the signal's reason. Nothing that was granted is lost.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the call may wait, in milliseconds or as text such as `"2s"`. A start that the call began counts. The call
   * then rejects with `DT_TIMEOUT`. 0: the call does not wait.
   * @default the limiter's `acquireTimeout`; without it the call waits for as long as it takes
   */
  readonly timeout?: Duration | undefined;
  /**
   * Which callers of this process come first: a whole number from -9 to 9, the highest first. Callers of one priority
   * are served in the order in which they came.
   * @default 0
   */
  readonly priority?: number | undefined;
}

/** The options of one call, checked. */
export interface AcquireSettings {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number | undefined;
  readonly priority: number;
}

/** The names of the options that every limiter takes. */
export const ACQUIRE_OPTIONS: readonly ["signal", "timeout", "priority"] = ["signal", "timeout", "priority"];

const KNOWN: ReadonlySet<string> = new Set(ACQUIRE_OPTIONS);
const NO_OPTIONS: AcquireSettings = { signal: undefined, timeoutMs: undefined, priority: 0 };

/**
 * Checks how one call waits.
 * @param known the names that are allowed: a limiter may take more than every limiter does
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkAcquireOptions(
  options: AcquireOptions | undefined,
  known: ReadonlySet<string> = KNOWN,
): AcquireSettings {
  if (options === undefined) return NO_OPTIONS;
  checkKeys("options", options, known);
  const { signal, timeout, priority } = options;
  return {
    signal: checkSignal(signal),
    timeoutMs: timeout === undefined ? undefined : checkDuration("timeout", timeout, 0),
    priority: priority === undefined ? 0 : checkPriority(priority),
  };
}

/**
 * A priority: a whole number from -9 to 9.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkPriority(priority: unknown): number {
  return checkInteger("priority", priority, -9, 9);
}
