import type { BucketAnswer, BucketRequest } from "@dt/core";
import {
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
  begin: () => ({ table: new MemoryBucketTable() }),
  isUse: () => true,
  apply: ({ table }, request, nowMs) => takeUnits(table, request, nowMs),
  reset: ({ table }, nowMs) => table.putRow(newBucket(nowMs)),
  renew: ({ table }, nowMs) => table.putRow({ ...rowOf(table), lastMs: nowMs }),
  lastMs: ({ table }) => rowOf(table).lastMs,
  aheadUntilMs: ({ table }) => bucketAheadUntilMs(rowOf(table)),
  meansForMs: ({ table }) => bucketMeansForMs(rowOf(table)),
};

function rowOf(table: MemoryBucketTable): BucketRow {
  return table.row() ?? newBucket(0);
}
