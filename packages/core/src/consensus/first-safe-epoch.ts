/**
 * The first epoch in which a raise may be used that the store answered at `storeTimeMs` (processor rule 2): the tokens were somebody else's before, who may be
 * `aheadMs` ahead of the store's clock.
 */
export function firstSafeEpoch(storeTimeMs: number, aheadMs: number, intervalMs: number): number {
  return Math.floor((storeTimeMs + aheadMs) / intervalMs) + 1;
}
