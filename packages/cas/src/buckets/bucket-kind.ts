import type { BucketAnswer, BucketRequest } from "@dt/core";
import {
  advanceBucket,
  type BucketRow,
  bucketAheadUntilMs,
  bucketMeansForMs,
  MemoryBucketTable,
  newBucket,
  takeUnits,
} from "@dt/core/ledger";
import type { DocumentKind } from "../timed-document/document-kind.ts";
import { type BucketContents, decodeBucket, encodeBucket } from "./bucket-document.ts";

/** A bucket as a document. Something lies ahead until it is full, nothing is held, and its window of hits is over. */
export const BUCKET_KIND: DocumentKind<BucketContents, BucketRequest, BucketAnswer> = {
  what: "the bucket",
  staysAhead: false,
  encode: encodeBucket,
  decode: decodeBucket,
  begin: () => ({ table: new MemoryBucketTable(), renewedMs: 0 }),
  isUse: () => true,
  isStored: ({ stored }) => stored === true,
  copiedFrom: ({ table }) => table.row()?.stored?.revision,
  apply: ({ table }, request, nowMs, limit) => takeUnits(table, request, nowMs, limit),
  reset: ({ table }, nowMs) => table.putRow(newBucket(nowMs)),
  renew: (contents, nowMs) => {
    contents.renewedMs = nowMs;
  },
  lastMs: lastMsOf,
  aheadUntilMs: ({ table }) => bucketAheadUntilMs(rowOf(table)),
  meansForMs: (contents) => {
    const row = rowOf(contents.table);
    advanceBucket(row, lastMsOf(contents));
    return bucketMeansForMs(row);
  },
};

function lastMsOf({ table, renewedMs }: BucketContents): number {
  return Math.max(rowOf(table).lastMs, renewedMs);
}

function rowOf(table: MemoryBucketTable): BucketRow {
  return table.row() ?? newBucket(0);
}
