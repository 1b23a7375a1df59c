/** A distribution in a few numbers. */
export interface Quantiles {
  readonly min: number;
  readonly p01: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Nearest rank; rounded to microseconds where the values are milliseconds. */
export function quantiles(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number => {
    const value = sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? Number.NaN;
    return Math.round(value * 1_000) / 1_000;
  };
  return { min: at(0), p01: at(0.01), p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
