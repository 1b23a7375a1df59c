import { type Fraction, fraction, isLess, sum, whole } from "./fraction.ts";

/**
 * A ramp from `min` to `max` in so many epochs. A level on it is an exact fraction and moves by whole *units*,
 * {@link UNITS_PER_STEP} to a step of one slope: a million steps up and down end exactly where they began, and a change
 * to another ramp keeps the level to the last digit.
 */
export interface Ramp {
  /** Level at the foot of the ramp, in tokens per epoch. */
  readonly min: number;
  /** Level at the top, in tokens per epoch. */
  readonly max: number;
  /** Units from foot to top; 0 when there is no ramp. */
  readonly units: number;
}

/** A level of the pool, in tokens per epoch (may have a fraction). */
export type Level = Fraction;

/** A step is one slope, `(max - min) / rampUp` epochs; a unit is a hundredth of a percent of it. */
export const UNITS_PER_STEP = 10_000;

/** A ramp over `epochs` epochs (fractions count; 0 means `max` at once). */
export function createRamp(min: number, max: number, epochs: number): Ramp {
  return { min, max, units: min === max ? 0 : Math.round(epochs * UNITS_PER_STEP) };
}

/** The level at which a ramp begins. */
export function footOf(ramp: Ramp): Level {
  return within(ramp, whole(ramp.min));
}

/** The level so many units further up, or down where they are negative, within the ramp. */
export function moved(ramp: Ramp, level: Level, units: number): Level {
  if (ramp.units === 0 || units === 0) return within(ramp, level);
  const rise = BigInt(ramp.max - ramp.min) * BigInt(units);
  return within(ramp, sum(level, fraction(rise, BigInt(ramp.units))));
}

/** A level that was kept on another ramp, within this one. */
export function within(ramp: Ramp, level: Level): Level {
  const [min, max] = [whole(ramp.min), whole(ramp.max)];
  if (ramp.units === 0 || isLess(max, level)) return max;
  return isLess(level, min) ? min : level;
}

/**
 * The level that a number stands for, within the ramp: a whole one exactly, else the nearest at a whole unit. Used to
 * resume a remembered level.
 */
export function resumed(ramp: Ramp, level: number): Level {
  if (ramp.units === 0 || level >= ramp.max) return whole(ramp.max);
  if (level <= ramp.min) return whole(ramp.min);
  if (Number.isSafeInteger(level)) return whole(level);
  return moved(ramp, whole(ramp.min), Math.round((ramp.units * (level - ramp.min)) / (ramp.max - ramp.min)));
}
