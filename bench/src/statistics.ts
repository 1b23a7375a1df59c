/** Where a set of measurements lies. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The middle value; the mean of the two middle ones when their number is even. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error("there is no median of nothing");
  return (low + high) / 2;
}

/**
 * The value that a quarter of the values do not exceed: the figure for a repeated measurement that others can only
 * disturb upwards. Unlike the least, it is not a lucky one.
 */
export function lowerQuartile(values: readonly number[]): number {
  const quartile = values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 4)];
  if (quartile === undefined) throw new Error("there is no quartile of nothing");
  return quartile;
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The value that a share of the values does not exceed, such as 0.99 of them (nearest rank). */
export function quantile(values: readonly number[], share: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)];
  if (value === undefined) throw new Error("there is no quantile of nothing");
  return value;
}
