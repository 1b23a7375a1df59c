import { invalidOption } from "./check.ts";
import { nearestName } from "./nearest-name.ts";

const UNIT_MS = {
  ms: 1,
  s: 1_000,
  sec: 1_000,
  second: 1_000,
  m: 60_000,
  min: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
} as const;

type Unit = keyof typeof UNIT_MS;

/** So many in so much time: `"10/s"`, `"600/min"`, `"1000/hour"`, `"5/90s"`. A number is meant per second. */
export type Rate = number | `${number}/${Unit}` | `${number}/${number}${Unit}`;

/** A rate as it was given: 600 a minute is another limit than 10 a second, which does not let 600 come at once. */
export interface ParsedRate {
  /** More than 0; may have a fraction. */
  readonly count: number;
  /** The time in which `count` may come, in milliseconds; more than 0. */
  readonly intervalMs: number;
}

/**
 * Reads a rate.
 * @throws DtError `DT_INVALID_OPTION` naming the option, the value and the remedy
 */
export function parseRate(option: string, value: unknown): ParsedRate {
  const { count, intervalMs } = typeof value === "number" ? { count: value, intervalMs: 1_000 } : read(option, value);
  if (count > 0 && intervalMs > 0 && Number.isFinite(count) && Number.isFinite(intervalMs))
    return { count, intervalMs };
  throw invalidOption(option, value, "give a count and a time that are more than 0");
}

function read(option: string, value: unknown): ParsedRate {
  const parts = typeof value === "string" && /^(\d+(?:\.\d+)?) *\/ *(\d+(?:\.\d+)?)? *([a-z]+)$/i.exec(value.trim());
  const [, count, times = "1", unit = ""] = parts || [];
  if (Object.hasOwn(UNIT_MS, unit)) return { count: Number(count), intervalMs: Number(times) * UNIT_MS[unit as Unit] };
  const meant = unit && nearestName(unit, Object.keys(UNIT_MS));
  const hint = meant ? `did you mean ${meant}? ` : "";
  const remedy = 'give a count and a time such as "10/s", "600/min", "1000/hour" or "5/90s", or a number a second';
  throw invalidOption(option, value, hint + remedy);
}
