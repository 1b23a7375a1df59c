import type { BucketRef } from "../contract/bucket.ts";
import type { BucketSnapshot } from "../contract/bucket-snapshot.ts";
import type { BucketTable } from "./bucket-table.ts";
import { advanceBucket, heldOf, standingOf } from "./buckets.ts";

/** What a bucket holds at `clockMs` of the store's own clock (K13); undefined when a new one would be the same. */
export function inspectBucket(
  table: Pick<BucketTable, "row">,
  { name, key }: BucketRef,
  clockMs: number,
): BucketSnapshot | undefined {
  const row = table.row();
  if (!row) return undefined;
  advanceBucket(row, clockMs);
  const { limit, remaining, resetMs, inFlight, hits, hitsResetMs, storeTimeMs } = standingOf(row);
  const held = heldOf(row);
  if (resetMs === 0 && held === 0 && inFlight === 0 && hitsResetMs === 0) return undefined;
  return {
    ...{ name, key },
    ...(limit && { limit }),
    ...{ remaining, resetMs, held, inFlight, hits, hitsResetMs, storeTimeMs },
  };
}
