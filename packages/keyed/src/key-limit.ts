import type { BucketLimit, Rate } from "@dt/core";
import { checkInteger, checkKeys, invalidOption, LONGEST_WINDOW_MS, MOST_UNITS, parseRate } from "@dt/core/internal";

/** The limit of one key. */
export interface KeyLimit {
  /**
   * Units in how much time, which come back evenly: `"5/s"`, `"600/min"`, or a number a second. At most 1e12 units, in
   * 1 ms to 100 days.
   */
  readonly rate: Rate;
  /**
   * Units that may be spent at once after idleness: from 1 to 1e12. In no time of t seconds is more spent than this and
   * what comes back in t.
   * @default the units of `rate`, at least 1
   */
  readonly burst?: number | undefined;
  /**
   * Calls in flight of this key over the whole fleet: 1 to 1,000.
   * @default any number
   */
  readonly concurrent?: number | undefined;
}

const OPTIONS: ReadonlySet<string> = new Set<keyof KeyLimit>(["rate", "burst", "concurrent"]);

/** What was checked once: most programs have a few plans, each an object of its own. */
const known = new WeakMap<object, BucketLimit>();

/**
 * Checks the limit of a key.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkKeyLimit(option: string, given: unknown): BucketLimit {
  if (typeof given !== "object" || given === null) throw invalidOption(option, given, 'give { rate: "5/s" }');
  if (given instanceof Promise)
    throw invalidOption(option, given, "give { rate }, at once: look plans up before the call");
  const checked = known.get(given) ?? check(option, given as KeyLimit);
  // One that may be changed later is checked each time.
  if (Object.isFrozen(given)) known.set(given, checked);
  return checked;
}

function check(option: string, given: KeyLimit): BucketLimit {
  checkKeys(option, given, OPTIONS, `${option}.`);
  const { count: max, intervalMs: windowMs } = parseRate(`${option}.rate`, given.rate);
  const { burst = Math.max(1, max), concurrent } = given;
  if (windowMs < 1 || windowMs > LONGEST_WINDOW_MS)
    throw invalidOption(`${option}.rate`, given.rate, "give a time of 1 ms to 100 days");
  if (max > MOST_UNITS) throw invalidOption(`${option}.rate`, given.rate, "give at most 1e12 units");
  if (typeof burst !== "number" || !(burst >= 1 && burst <= MOST_UNITS))
    throw invalidOption(`${option}.burst`, burst, "give a number from 1 to 1e12");
  if (concurrent === undefined) return { max, windowMs, burst };
  return { max, windowMs, burst, concurrent: checkInteger(`${option}.concurrent`, concurrent, 1, 1_000) };
}
