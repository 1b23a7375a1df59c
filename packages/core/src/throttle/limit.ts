import { checkDuration, checkInteger, checkKeys, invalidOption } from "../internal/check.ts";
import type { Duration } from "../internal/duration.ts";
import { parseRate, type Rate } from "../internal/rate.ts";
import { MOST_TOKENS } from "../ledger/bounds.ts";
import { createRamp, type Ramp } from "../modes/ramp.ts";
import type { ThrottleOptions, ThrottleUpdate } from "./options.ts";

const UPDATE_OPTIONS: ReadonlySet<string> = new Set<keyof ThrottleUpdate>(["rate", "max", "min", "rampUp"]);

/** The shortest epoch, in milliseconds. */
const SHORTEST_INTERVAL_MS = 10;

/** Tokens, and the time in which they may be granted. */
export interface TokenRate {
  readonly max: number;
  readonly intervalMs: number;
}

/**
 * The rate of a limit: `rate`, or `max` with `interval`.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkTokenRate({
  rate,
  max,
  interval,
}: {
  readonly [Name in "rate" | "max" | "interval"]?: ThrottleOptions[Name] | undefined;
}): TokenRate {
  if (rate !== undefined) {
    if (max !== undefined) throw invalidOption("max", max, "give either rate, or max with interval");
    if (interval !== undefined)
      throw invalidOption("interval", interval, "leave it out beside rate, which states a time");
    return tokenRateOf(rate);
  }
  if (max === undefined) throw invalidOption("max", max, 'give it, or rate, such as "600/min"');
  return {
    max: checkInteger("max", max, 1, MOST_TOKENS),
    intervalMs: checkDuration("interval", interval ?? 1_000, SHORTEST_INTERVAL_MS),
  };
}

function tokenRateOf(rate: Rate): TokenRate {
  const { count, intervalMs } = parseRate("rate", rate);
  if (!Number.isSafeInteger(count) || count > MOST_TOKENS)
    throw invalidOption("rate", rate, 'give a whole number of tokens: "1/2s" rather than 0.5');
  if (intervalMs < SHORTEST_INTERVAL_MS)
    throw invalidOption("rate", rate, `give a time of at least ${SHORTEST_INTERVAL_MS} ms`);
  return { max: count, intervalMs };
}

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
export function checkLimit(options: ThrottleUpdate, { max, intervalMs }: TokenRate, before?: LimitSpec): LimitSpec {
  const { min: foot = before?.given.min, rampUp = before?.given.rampUp } = options;
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

/** The same ramp up to the limit in the store: from where it begins or, where the limit is lower, from the limit. */
export function limitAt(code: LimitSpec, max: number): LimitSpec {
  const min = code.min === code.max ? max : Math.min(code.min, max);
  return Object.freeze({ ...code, min, max, units: min === max ? 0 : code.units });
}

/**
 * The limit that follows from an update of the one `before`.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkUpdate(update: ThrottleUpdate, intervalMs: number, before: LimitSpec): LimitSpec {
  checkKeys("update", update, UPDATE_OPTIONS);
  const { rate, max } = update;
  const tokenRate = checkTokenRate({ rate, max });
  if (rate !== undefined && tokenRate.intervalMs !== intervalMs)
    throw invalidOption(
      "rate",
      rate,
      `keep the interval of the throttle, ${intervalMs} ms; another one is rolled out with the option replaces`,
    );
  return checkLimit(update, { ...tokenRate, intervalMs }, before);
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
