import type { Counters, StartedStore } from "../stores/bench-store.ts";

/** Runs some work and tells what the server counted meanwhile; null without a server. */
export async function counted<T>(
  { counters }: StartedStore,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly spent: Counters | null }> {
  const before = (await counters?.()) ?? null;
  const result = await work();
  const after = (await counters?.()) ?? null;
  return { result, spent: difference(before, after) };
}

/** Counters divided by a number of operations; null when there were none. */
export function each(spent: Counters | null, operations: number): Counters | null {
  if (spent === null || operations === 0) return null;
  return Object.fromEntries(Object.entries(spent).map(([what, count]) => [what, count / operations]));
}

/** The sum of two counts of the same things. */
export function sum(one: Counters | null, other: Counters | null): Counters | null {
  return one && other
    ? Object.fromEntries(Object.entries(one).map(([what, count]) => [what, count + (other[what] ?? 0)]))
    : (one ?? other);
}

/** What was counted between two counts; null without a server. */
export function difference(before: Counters | null, after: Counters | null): Counters | null {
  if (before === null || after === null) return null;
  return Object.fromEntries(Object.entries(after).map(([what, count]) => [what, count - (before[what] ?? 0)]));
}
