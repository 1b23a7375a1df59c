/** One direction of a plot: which values it shows, and where its marks are. */
export interface Axis {
  readonly marks: readonly number[];
  /** Where a value is: 0 at the beginning, 1 at the end. Values outside are at the edge. */
  place(value: number): number;
}

/** From 0 to at least the highest value, in round steps. */
export function linearAxis(highest: number): Axis {
  const step = roundStep(Math.max(highest, Number.MIN_VALUE) / 4);
  const steps = Math.max(1, Math.ceil(highest / step - 1e-9));
  return {
    marks: Array.from({ length: steps + 1 }, (_, index) => tidy(index * step)),
    place: (value) => clamp(value / (steps * step)),
  };
}

/** Powers of ten around the values, for what differs by more than a linear axis can show. */
export function logarithmicAxis(lowest: number, highest: number): Axis {
  const from = Math.floor(Math.log10(lowest) + 1e-9);
  const to = Math.max(from + 1, Math.ceil(Math.log10(highest) - 1e-9));
  return {
    marks: Array.from({ length: to - from + 1 }, (_, index) => tidy(10 ** (from + index))),
    place: (value) => clamp((Math.log10(Math.max(value, Number.MIN_VALUE)) - from) / (to - from)),
  };
}

/** From one value to another, with marks at round steps between them. */
export function spanAxis(from: number, to: number): Axis {
  const step = roundStep((to - from) / 4);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first;
  return {
    marks: Array.from({ length: count + 1 }, (_, index) => tidy((first + index) * step)),
    place: (value) => clamp((value - from) / (to - from)),
  };
}

/** 1, 2, 2.5 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 2.5, 5].find((factor) => factor * power >= least) ?? 10);
}

const clamp = (part: number): number => Math.min(1, Math.max(0, part));

/** Sums of binary fractions, as people write them. */
const tidy = (value: number): number => Number(value.toPrecision(10));
