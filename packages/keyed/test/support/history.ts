/** A call that was made: its cost counts at an instant of its own between these two. */
export interface MadeCall {
  readonly fromMs: number;
  readonly atMs: number;
  readonly cost: number;
}

/**
 * By how much the fullest window is over what a bucket gives: its burst, and what comes back in the window. A call is
 * in a window when all of its instants are.
 */
export function worstExcess(calls: readonly MadeCall[], perSecond: number, burst: number): number {
  const byEnd = calls.toSorted((a, b) => a.atMs - b.atMs);
  let worst = Number.NEGATIVE_INFINITY;
  for (const { fromMs: startMs } of calls) {
    let sum = 0;
    for (const { fromMs, atMs, cost } of byEnd) {
      if (fromMs < startMs) continue;
      sum += cost;
      worst = Math.max(worst, sum - burst - ((atMs - startMs) * perSecond) / 1_000);
    }
  }
  return worst;
}
