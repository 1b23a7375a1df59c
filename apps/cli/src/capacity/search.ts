/** Where to look for the highest rate that holds, in calls a second. */
export interface SearchRange {
  readonly from: number;
  readonly to: number;
  /** How far apart the highest rate that holds and the lowest that does not may be in the end, for example 0.05. */
  readonly precision: number;
}

/** What is known of where the knee is. */
export interface Found {
  /** The highest rate that held; undefined when not even the first did. */
  readonly holds: number | undefined;
  /** The lowest rate that did not; undefined when all did. */
  readonly fails: number | undefined;
}

/** So much higher is each rate of the ramp than the one before. */
const RAMP = 1.5;

/**
 * The next rate to try, or undefined when the knee is known well enough: a ramp until a rate fails, then the middle of
 * what is left.
 */
export function nextRate({ holds, fails }: Found, { from, to, precision }: SearchRange): number | undefined {
  if (fails === undefined) {
    if (holds === undefined) return from;
    return holds >= to ? undefined : Math.min(to, holds * RAMP);
  }
  // Below the first rate is nothing that was asked for.
  if (holds === undefined || fails / holds <= 1 + precision) return undefined;
  return Math.sqrt(holds * fails);
}

/**
 * What is known once a rate was tried. A rate that fails below one that held says that chance helped there: the lower
 * one counts.
 */
export function learned({ holds, fails }: Found, rate: number, held: boolean): Found {
  if (held) return { holds: Math.max(holds ?? 0, rate), fails };
  return { holds: holds !== undefined && holds < rate ? holds : undefined, fails: Math.min(fails ?? rate, rate) };
}
