import { checkDuration, checkInteger, checkKeys, invalidOption } from "../internal/check.ts";
import type { Duration } from "../internal/duration.ts";
import { MOST_TOKENS } from "../ledger/bounds.ts";
import { createRamp, type Ramp } from "../modes/ramp.ts";
import type { ThrottleUpdate } from "./options.ts";

const UPDATE_OPTIONS: ReadonlySet<string> = new Set<keyof ThrottleUpdate>(["max", "min", "rampUp"]);

/**
 * The limit of a throttle: its `max`, and the ramp that leads there from `min`. Frozen: an update makes another one.
 */
export interface LimitSpec extends Ramp {
  /** The options of the ramp as they were given, so that an update without them keeps them. */
  readonly given: { readonly min: number | undefined; readonly rampUp: Duration | undefined };
}

/**
 * Checks the options that make the limit; a ramp that is not given stays as it was `before`.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkLimit(options: ThrottleUpdate, intervalMs: number, before?: LimitSpec): LimitSpec {
  const { min: foot = before?.given.min, rampUp = before?.given.rampUp } = options;
  const max = checkInteger("max", options.max, 1, MOST_TOKENS);
  const min = checkInteger("min", foot ?? max, 0);
  if (min > max) throw invalidOption("min", min, `give at most max (${max})`);
  if (min < max && rampUp === undefined)
    throw invalidOption(
      "rampUp",
      rampUp,
      `give the time to ramp from min (${min}) to max (${max}), such as "60s", or leave min out`,
    );
  const rampUpMs = checkDuration("rampUp", rampUp ?? 0, 0);
  // Only where the caller gives it now: an update may lower `max` to the `min` of before.
  if (options.rampUp !== undefined && foot === undefined && rampUpMs > 0)
    throw invalidOption(
      "rampUp",
      rampUp,
      "it has no effect without min, the level at which the ramp begins; give min too",
    );
  return Object.freeze({ ...createRamp(min, max, rampUpMs / intervalMs), given: Object.freeze({ min: foot, rampUp }) });
}

/**
 * The limit that follows from an update of the one `before`.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkUpdate(update: ThrottleUpdate, intervalMs: number, before: LimitSpec): LimitSpec {
  checkKeys("update", update, UPDATE_OPTIONS);
  return checkLimit(update, intervalMs, before);
}

/**
 * A cap on the level, in tokens per interval; none is `Infinity`.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkCap(level: unknown): number {
  if (level === undefined) return Number.POSITIVE_INFINITY;
  if (typeof level === "number" && level >= 0) return level;
  throw invalidOption(
    "cap",
    level,
    "give tokens per interval of the whole pool (a number >= 0), or undefined for no cap",
  );
}
