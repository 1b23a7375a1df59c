/**
 * The first epoch in which tokens may be used that the store answered at `storeTimeMs` (R20): they were somebody else's
 * before, who may be `aheadMs` ahead of the store's clock.
 */
export function firstSafeEpoch(storeTimeMs: number, aheadMs: number, intervalMs: number): number {
  return Math.floor((storeTimeMs + aheadMs) / intervalMs) + 1;
}
