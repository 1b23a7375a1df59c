import type { Duration } from "@dt/core";
import { checkDuration, checkInteger } from "@dt/core/kit";

/** How a sink gathers what it sends to a server. */
export interface BatchOptions {
  /** The most endings that are sent together. Default 100. */
  readonly batch?: number;
  /** How long an ending waits for others. Default `"50ms"`. */
  readonly linger?: Duration;
}

export const BATCH_OPTIONS: readonly (keyof BatchOptions)[] = ["batch", "linger"];

/**
 * A batch is not larger than this, unless a single ending is: so much is in memory twice, and on its way to the server
 * at once.
 */
const MOST_BYTES = 2 ** 20;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkBatch({ batch = 100, linger = "50ms" }: BatchOptions): {
  most: number;
  mostBytes: number;
  lingerMs: number;
} {
  const most = checkInteger("batch", batch, 1, 10_000);
  return { most, mostBytes: MOST_BYTES, lingerMs: checkDuration("linger", linger, 0) };
}
