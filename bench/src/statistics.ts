/** Where a set of measurements lies. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** What half of the values and what 99 % of them do not exceed (nearest rank). */
export type Percentiles = readonly [p50: number, p99: number];

/** The middle value; the mean of the two middle ones when their number is even; null of nothing. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) return null;
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

/** @throws Error of nothing: whoever measures in rounds has at least one */
export function spread(values: readonly number[]): Spread {
  const middle = median(values);
  if (middle === null) throw new Error("there is no spread of nothing");
  return { median: middle, min: Math.min(...values), max: Math.max(...values) };
}

/** Null of nothing: a short run on a slow machine may end before the first measurement. */
export function percentiles(values: readonly number[]): Percentiles | null {
  const [p50, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
  return p50 === null || p99 === null ? null : [p50, p99];
}

/** The value that a share of the values does not exceed, such as 0.99 of them (nearest rank); null of nothing. */
export function quantile(values: readonly number[], share: number): number | null {
  return values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? null;
}

/** One figure in terms of another; null when either was not measured, and of nothing. */
export function quotient(figure: number | null, of: number | null): number | null {
  return figure === null || of === null || of === 0 ? null : figure / of;
}
