/**
 * Promises are immutable once settled, so one for each small number serves every caller: a grant without waiting
 * allocates nothing.
 */
const CACHED: Promise<number>[] = Array.from({ length: 257 }, (_, n) => Promise.resolve(n));

/** A promise that is resolved with `n` already. */
export function resolvedWith(n: number): Promise<number> {
  return CACHED[n] ?? Promise.resolve(n);
}

/** The number itself, where an answer is made of it. */
export function asNumber(tokens: number): number {
  return tokens;
}
