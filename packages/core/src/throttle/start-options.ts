import { checkDuration, checkKeys, checkSignal } from "../kit/check.ts";
import type { Duration } from "../kit/duration.ts";

/** Options of `start`. */
export interface StartOptions {
  /**
   * How long it tries again where waiting may help: the store does not answer, or members with another `interval` are
   * still there. Default 20 s; 0 is a single try.
   */
  readonly timeout?: Duration | undefined;
  /** Aborting it stops the throttle: the start rejects at once with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

const START_OPTIONS: ReadonlySet<string> = new Set<keyof StartOptions>(["timeout", "signal"]);

/**
 * How long a start tries, in milliseconds, and what ends it.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkStart(options: StartOptions): {
  readonly forMs: number;
  readonly signal: AbortSignal | undefined;
} {
  checkKeys("options", options, START_OPTIONS);
  return { forMs: checkDuration("timeout", options.timeout ?? 20_000, 0), signal: checkSignal(options.signal) };
}
