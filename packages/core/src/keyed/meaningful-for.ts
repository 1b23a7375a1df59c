import type { BucketRow } from "./bucket-table.ts";
import { everyOf, heldOf } from "./buckets.ts";

/** A store keeps a bucket so much longer, so that its time does not go back where the store's clock was set back. */
const KEEP_MS = 10_000;

/** About 31 years: longer than any store is asked to keep anything. */
const LONGEST_MS = 1e12;

/**
 * How long from its last operation a bucket must be kept, in milliseconds: until it is full, no slot is in use and its
 * window of hits has ended, and a little longer. A bucket that is new says the same then. What is in hand may be spent
 * at the last moment, and comes back only from then on.
 */
export function bucketMeansForMs(row: BucketRow): number {
  const { lastMs, used, hitsUntilMs, holds, slots } = row;
  const everyMs = everyOf(row);
  const spentMs = holds.reduce((latest, { untilMs }) => Math.max(latest, untilMs), lastMs);
  const freeMs = slots.reduce((latest, { untilMs }) => Math.max(latest, untilMs), hitsUntilMs);
  const fullMs = Math.max(lastMs + used * everyMs, spentMs + heldOf(row) * everyMs);
  return Math.min(Math.max(fullMs, freeMs) - lastMs + KEEP_MS, LONGEST_MS);
}
