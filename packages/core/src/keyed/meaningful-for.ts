import type { BucketRow } from "./bucket-table.ts";
import { everyOf, heldOf } from "./buckets.ts";

/** A store keeps a bucket so much longer, so that its time does not go back where the store's clock was set back. */
const KEEP_MS = 10_000;

/** About 31 years: longer than any store is asked to keep anything. */
const LONGEST_MS = 1e12;

/**
/**
 * Until when something of a bucket lies ahead that becomes past by nothing but time: until it is full, no slot is in
 * use and its window of hits has ended. What is in hand may be spent at the last moment, and comes back only from then
 * on.
 */
export function bucketAheadUntilMs(row: BucketRow): number {
  const { lastMs, used, hitsUntilMs, holds, slots } = row;
  const everyMs = everyOf(row);
  const spentMs = holds.reduce((latest, { untilMs }) => Math.max(latest, untilMs), lastMs);
  const freeMs = slots.reduce((latest, { untilMs }) => Math.max(latest, untilMs), hitsUntilMs);
  return Math.max(lastMs + used * everyMs, spentMs + heldOf(row) * everyMs, freeMs);
}

/**
 * How long from its last operation a bucket must be kept, in milliseconds: until nothing of it lies ahead, and a little
 * longer. A bucket that is new says the same then.
 */
export function bucketMeansForMs(row: BucketRow): number {
  return Math.min(bucketAheadUntilMs(row) - row.lastMs + KEEP_MS, LONGEST_MS);
}
