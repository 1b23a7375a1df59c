import { describe, invalidOption, option, type Settings } from "@dt/core/internal";

/** The first limit and its bounds, in units of cost. */
export interface LimitBounds {
  /** The first limit. Default 20. */
  readonly initial?: number;
  /** The lowest limit, at least 1. Default 1. */
  readonly min?: number;
  /** The highest limit. Default 1,000. */
  readonly max?: number;
}

export interface CheckedBounds {
  /** The limit to start with: the first one, or one that was learned before, within the bounds. */
  start(learned?: number): number;
  clamp(limit: number): number;
}

/** A finite number within a range. */
export function ranged(least: number, most: number = Number.POSITIVE_INFINITY): option.Option<number> {
  const range = most === Number.POSITIVE_INFINITY ? `>= ${least}` : `from ${least} to ${most}`;
  return option.number(
    (value) => value >= least && value <= most && Number.isFinite(value),
    `give a finite number ${range}`,
  );
}

/** The options of every algorithm. */
export const BOUNDS: {
  readonly initial: option.Option<number | undefined>;
  readonly min: option.Option<number>;
  readonly max: option.Option<number | undefined>;
} = { initial: ranged(1).optional, min: ranged(1).or(1), max: ranged(1).optional };

/**
 * The bounds of a limit, with their defaults.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function boundsOf(given: Settings<LimitBounds, "initial" | "max">): CheckedBounds {
  const { min, max = Math.max(1_000, min) } = given;
  if (max < min) throw invalidOption("max", max, `give at least min, which is ${describe(min)}`);
  const clamp = (limit: number) => Math.min(max, Math.max(min, limit));
  const initial = given.initial ?? clamp(20);
  if (clamp(initial) !== initial) throw invalidOption("initial", initial, `give a number from ${min} to ${max}`);
  return { start: (learned) => (learned === undefined ? initial : clamp(learned)), clamp };
}
