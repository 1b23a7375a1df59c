/** A fraction `top / bottom` in lowest terms, `bottom` >= 1: exact, however often it is moved. */
export interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}

/**
 * Bottoms up to here are kept exactly. A ramp has one bottom for all its levels; only a long series of updates to ever
 * other ramps, none of which reaches an end, multiplies them. The fraction is then the nearest of 10^18 parts, so that
 * its digits do not grow without an end.
 */
const LARGEST_BOTTOM = 10n ** 36n;
const FINE = 10n ** 18n;

export function whole(n: number): Fraction {
  return { top: BigInt(n), bottom: 1n };
}

/** The fraction of two whole numbers, `bottom` >= 1. */
export function fraction(top: bigint, bottom: bigint): Fraction {
  const [least, size] = bottom > LARGEST_BOTTOM ? [(top * FINE) / bottom, FINE] : [top, bottom];
  const divisor = greatestDivisor(least < 0n ? -least : least, size);
  return { top: least / divisor, bottom: size / divisor };
}

export function sum(a: Fraction, b: Fraction): Fraction {
  return fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom);
}

export function isLess(a: Fraction, b: Fraction): boolean {
  return a.top * b.bottom < b.top * a.bottom;
}

/** The nearest number; exactly a whole one when it is one. */
export function toNumber({ top, bottom }: Fraction): number {
  return Number(top / bottom) + Number(top % bottom) / Number(bottom);
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b];
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
