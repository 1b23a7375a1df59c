/** One site's part of a total. */
export interface SitePart {
  readonly everyMs: number;
  readonly burst: number;
}

/**
 * Divides a total among sites by weight. The bursts of the parts add up to the total's, except that each part has one
 * at least: whole permits cannot be divided further. What is left of a division goes to the largest fractions, then by
 * name, so that all processes waterLevel alike.
 */
export function divideAmongSites(total: SitePart, weights: ReadonlyMap<string, number>): ReadonlyMap<string, SitePart> {
  // In one order, since a sum of fractions depends on it.
  const sites = [...weights].sort(([a], [b]) => (a < b ? -1 : 1));
  const sum = sites.reduce((soFar, [, weight]) => soFar + weight, 0);
  const spare = Math.max(0, total.burst - sites.length);
  const bursts = sites.map(([name, weight]) => {
    const exact = (spare * weight) / sum;
    return { name, whole: Math.floor(exact), fraction: exact - Math.floor(exact) };
  });
  const left = spare - bursts.reduce((soFar, { whole }) => soFar + whole, 0);
  const favoured = new Set(
    [...bursts]
      .sort((a, b) => b.fraction - a.fraction)
      .slice(0, left)
      .map(({ name }) => name),
  );
  return new Map(
    bursts.map(({ name, whole }) => {
      const everyMs = (total.everyMs * sum) / (weights.get(name) as number);
      return [name, { everyMs, burst: 1 + whole + (favoured.has(name) ? 1 : 0) }] as const;
    }),
  );
}
