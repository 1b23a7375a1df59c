import type { BucketRow } from "./bucket-table.ts";

/** A store keeps a bucket so much longer, so that its time does not go back where the store's clock was set back. */
const KEEP_MS = 10_000;

/**
 * How long from its last operation a bucket must be kept, in milliseconds: until it is full, nothing of it is in hand,
 * no slot is in use and its window of hits has ended, and a little longer. A bucket that is new says the same then.
 */
export function bucketMeansForMs({ lastMs, fullMs, hitsUntilMs, holds, slots }: BucketRow): number {
  const lastUntilMs = [...holds, ...slots].reduce((latest, { untilMs }) => Math.max(latest, untilMs), lastMs);
  return Math.max(fullMs, hitsUntilMs, lastUntilMs) - lastMs + KEEP_MS;
}
