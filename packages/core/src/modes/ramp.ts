/**
 * A ramp from `min` to `max` in `epochs` epochs. A place on it is a whole number of *units*, {@link UNITS_PER_STEP} to a
 * step of one slope, so that a million steps up and down end exactly where they began: steps are counted, floats never added.
 */
export interface Ramp {
  /** Level at the foot of the ramp, in tokens per epoch. */
  readonly min: number;
  /** Level at the top, in tokens per epoch. */
  readonly max: number;
  /** Units from foot to top; 0 when there is no ramp. */
  readonly top: number;
}

/** A step is one slope, `(max - min) / rampUp` epochs; a unit is a hundredth of a percent of it. */
export const UNITS_PER_STEP = 10_000;

/** A ramp over `epochs` epochs (fractions count; 0 means `max` at once). */
export function createRamp(min: number, max: number, epochs: number): Ramp {
  return { min, max, top: min === max ? 0 : Math.round(epochs * UNITS_PER_STEP) };
}

/** The level at a position, in tokens per epoch (may have a fraction). */
export function levelAt(ramp: Ramp, position: number): number {
  return position >= ramp.top ? ramp.max : ramp.min + ((ramp.max - ramp.min) * position) / ramp.top;
}

/** The position whose level is nearest to `level`, within the ramp. Used to resume a remembered level. */
export function positionOf(ramp: Ramp, level: number): number {
  if (ramp.top === 0 || level >= ramp.max) return ramp.top;
  if (level <= ramp.min) return 0;
  return Math.round((ramp.top * (level - ramp.min)) / (ramp.max - ramp.min));
}
