import type { BucketRow, HoldRow } from "@dt/core/ledger";
import type { BucketFlaw } from "../bucket-flaw.ts";
import type { PlainBucketTable } from "../suite-internals.ts";

/** A flaw of one request of `take`. */
export type Take = NonNullable<BucketFlaw["take"]>;

/** Changes a bucket's row, where there is one. */
export function patchBucket(table: PlainBucketTable, changes: (row: BucketRow) => Partial<BucketRow>): void {
  if (table.bucket) table.putRow({ ...table.bucket, ...changes(table.bucket) });
}

/** Changes what processes have in hand. */
export function patchHolds(table: PlainBucketTable, changes: (hold: HoldRow) => Partial<HoldRow>): void {
  patchBucket(table, ({ holds }) => ({ holds: holds.map((hold) => ({ ...hold, ...changes(hold) })) }));
}

/** What the process of a request has in hand. */
export function knownIn(table: PlainBucketTable, id: string | undefined): HoldRow | undefined {
  return table.bucket?.holds.find((hold) => hold.id === id);
}
