import type { ParsedRate } from "@dt/core/kit";

/** A limit as a throttle takes it. */
export interface Pool {
  readonly max: number;
  readonly intervalMs: number;
}

const SHORTEST_EPOCH_MS = 1_000;

/**
 * The same rate in the shortest epochs, of a second or more, that it can be told in exactly: 600 a minute are 10 a
 * second. Whoever keeps that keeps the other, and the first call need not wait for the next minute.
 */
export function poolOf({ count, intervalMs }: ParsedRate): Pool {
  const most = Math.floor(intervalMs / SHORTEST_EPOCH_MS);
  for (let epochs = Math.min(most, count); epochs > 1; epochs--)
    if (count % epochs === 0 && intervalMs % epochs === 0)
      return { max: count / epochs, intervalMs: intervalMs / epochs };
  return { max: count, intervalMs };
}
