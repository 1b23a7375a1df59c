import type { Duration } from "../internal/duration.ts";
import * as option from "../internal/option.ts";
import { type Settings, settingsOf, type TableOf } from "../internal/options.ts";

/** Options of `start`. */
export interface StartOptions {
  /**
   * How long it tries again where waiting may help: the store does not answer, or members with another `interval` are
   * still there.
   * @default 20 s; 0 is a single try
   */
  readonly timeout?: Duration | undefined;
  /**
   * Aborting it stops the throttle: the start rejects at once with the signal's reason.
   * @default none
   */
  readonly signal?: AbortSignal | undefined;
}

const START = { timeout: option.duration(0).or(20_000), signal: option.signal } satisfies TableOf<StartOptions>;

/**
 * How long a start tries, in milliseconds, and what ends it.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkStart(options: StartOptions): Settings<StartOptions, "signal"> {
  return settingsOf(START, options);
}
