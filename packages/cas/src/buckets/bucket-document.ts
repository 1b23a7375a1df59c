import { DtError } from "@dt/core";
import {
  checkList,
  damagedBucket,
  decodeBucketRow,
  encodeBucketRow,
  MemoryBucketTable,
  type RowFormat,
} from "@dt/core/ledger";
import { parseStored, TAG } from "../row-codec.ts";
import { LONGEST_TEXT, type TimedDocument } from "../timed-document/document-kind.ts";
import { type DocumentUse, USE_FIELDS } from "../timed-document/document-use.ts";

/** What is known of a bucket. */
export interface BucketContents {
  readonly table: MemoryBucketTable;
  /**
   * The time that was last recorded without a request, in milliseconds; 0 for none. The bucket itself goes on with
   * requests alone: so it is rounded as in a store with a clock.
   */
  renewedMs: number;
}

/** All that is known of a bucket, as one value. */
export type BucketDocument = TimedDocument<BucketContents>;

const USE: RowFormat<DocumentUse & Pick<BucketContents, "renewedMs">> = {
  version: 1,
  fields: [...USE_FIELDS, ["renewedMs", "time"]],
};

/**
 * A bucket as text: some 150 bytes, and 40 to 80 for each process that holds units of it, and for each slot in use.
 * @throws DtError `DT_STORE_UNAVAILABLE` when there is too much of it
 */
export function encodeBucket({ table, renewedMs, use }: BucketDocument): string {
  const row = table.row();
  const usage = { ...use, renewedMs };
  const text = JSON.stringify({
    v: TAG,
    row: row && encodeBucketRow(row),
    use: USE.fields.map(([field]) => usage[field]),
  });
  if (text.length <= LONGEST_TEXT) return text;
  throw new DtError(
    "DT_STORE_UNAVAILABLE",
    "more processes hold units of this key, or more calls of it are in flight, than one value of the store can hold; lower concurrent, or use fewer processes for one key",
  );
}

/**
 * Reads back what {@link encodeBucket} made.
 * @param where what holds it, for messages
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeBucket(text: string, where: string): BucketDocument {
  const { v: tag, row, use } = parseStored(text, where, damagedBucket);
  if (tag !== TAG) throw damagedBucket(where, `format version ${String(tag)}`);
  const table = new MemoryBucketTable();
  table.putRow(decodeBucketRow(row, where));
  const { renewedMs, ...usage } = checkList(USE, use, where, damagedBucket);
  return { table, renewedMs, use: usage };
}
