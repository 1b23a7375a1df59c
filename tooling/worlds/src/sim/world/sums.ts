import type { Extremes, MemberCount, MemberRow } from "@dt/core/ledger";

/**
 * What a group's row sums up of its members, counted here by itself: the soak runs without a build, and so imports
 * nothing but types of core.
 */
export function extremesOf(rows: Iterable<MemberRow>): Extremes | undefined {
  const all = [...rows];
  if (all.length === 0) return undefined;
  const staleAges = all.map((row) => row.staleAfterMs);
  return {
    smallestStaleMs: Math.min(...staleAges),
    longestStaleMs: Math.max(...staleAges),
    largestClockErrorMs: Math.max(...all.map((row) => row.clockErrorMs)),
  };
}

export function countOf(rows: Iterable<MemberRow>): MemberCount {
  const all = [...rows];
  const counts = new Map<number, number>();
  for (const { want } of all) if (want !== null) counts.set(want, (counts.get(want) ?? 0) + 1);
  const wants = [...counts].sort(([a], [b]) => a - b);
  return { poolSize: all.length, held: all.reduce((sum, row) => sum + row.held, 0), wants };
}
