import { describe, invalidOption } from "@dt/core/kit";

/** Where a limit begins and between what it stays, in units of cost. */
export interface LimitBounds {
  /** The first limit. Default 20. */
  readonly initial?: number;
  /** The lowest limit, at least 1. Default 1. */
  readonly min?: number;
  /** The highest limit. Default 1,000. */
  readonly max?: number;
}

export const BOUNDS_KEYS = ["initial", "min", "max"] as const;

export interface CheckedBounds {
  readonly initial: number;
  clamp(limit: number): number;
}

/**
 * A finite number within a range.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkNumber(option: string, value: unknown, least: number, most: number): number {
  if (typeof value === "number" && value >= least && value <= most && Number.isFinite(value)) return value;
  const range = most === Number.POSITIVE_INFINITY ? `>= ${least}` : `from ${least} to ${most}`;
  throw invalidOption(option, value, `give a finite number ${range}`);
}

/**
 * The bounds of a limit, with their defaults.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkBounds(options: LimitBounds): CheckedBounds {
  const min = checkNumber("min", options.min ?? 1, 1, Number.POSITIVE_INFINITY);
  const max = checkNumber("max", options.max ?? Math.max(1_000, min), 1, Number.POSITIVE_INFINITY);
  if (max < min) throw invalidOption("max", max, `give at least min, which is ${describe(min)}`);
  const clamp = (limit: number) => Math.min(max, Math.max(min, limit));
  const initial = checkNumber("initial", options.initial ?? clamp(20), 1, Number.POSITIVE_INFINITY);
  if (clamp(initial) !== initial) throw invalidOption("initial", initial, `give a number from ${min} to ${max}`);
  return { initial, clamp };
}
