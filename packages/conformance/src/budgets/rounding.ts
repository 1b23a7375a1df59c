/** Sums of times near 1.7e12 ms are rounded by less. */
export const ROUNDING_MS = 0.01;
