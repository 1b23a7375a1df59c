import type { Duration, KeyedLedger, Runtime } from "@dt/core";
import { option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";

/** Options of the stores for other packages' rate limiters. */
export interface HitStoreOptions {
  /** Where hits are counted: a store with keyed limits, shared by the fleet. Not closed by it. */
  readonly store: KeyedLedger;
  /**
   * The name of what is counted: equal keys of one name on one store are counted together. 1 to 1,024 UTF-8 bytes. Give
   * every limiter a name of its own, which no keyed limit of the store has either.
   */
  readonly name: string;
  /**
   * Deadline of every call to the store. The middleware then receives the store's error.
   * @default 1.25 s: a little more than an adapter's own (1 s), whose error names the cause
   */
  readonly storeTimeout?: Duration;
  /**
   * Time, timers and chance.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** Options, checked. */
export interface HitStoreSettings extends Settings<HitStoreOptions> {}

const HIT_STORE = {
  store: option.having<KeyedLedger>(
    ["take"],
    "give a store that keeps keyed limits, such as memory, SQLite, Redis or PostgreSQL",
  ),
  name: option.name,
  storeTimeout: option.duration(1).or(1_250),
  runtime: option.runtime,
} satisfies TableOf<HitStoreOptions>;

/**
 * Checks every option once, at the public door.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function checkHitStore(options: HitStoreOptions): HitStoreSettings {
  return settingsOf(HIT_STORE, options);
}
