/** The most starts that lie within any stretch of time shorter than this. */
export function mostWithin(starts: readonly number[], windowMs: number): number {
  const sorted = [...starts].sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [index, at] of sorted.entries()) {
    while (at - (sorted[first] as number) >= windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}
