import type { BucketRow, BucketSlotRow, HoldRow } from "../keyed/bucket-table.ts";
import { damagedBucket } from "../keyed/damaged-bucket.ts";
import { checkList, type RowFormat, tagOf } from "./rows.ts";

/** The version of the format of buckets. */
const VERSION = 1;

const TAG = tagOf(VERSION);

// An undefined text is null in JSON.
const ROW: RowFormat<Omit<BucketRow, "holds" | "slots">> = {
  version: VERSION,
  fields: [
    ["lastMs", "time"],
    ["offsetMs", "offset"],
    ["max", "endless"],
    ["windowMs", "duration"],
    ["burst", "endless"],
    ["concurrent", "count"],
    ["former", "maybeText"],
    ["fullMs", "time"],
    ["hits", "count"],
    ["hitsUntilMs", "time"],
  ],
};

const HOLD: RowFormat<HoldRow> = {
  version: VERSION,
  fields: [
    ["id", "name"],
    ["seq", "count"],
    ["spent", "count"],
    ["units", "count"],
    ["untilMs", "time"],
    ["granted", "count"],
    ["firstMs", "real"],
    ["waitMs", "endless"],
  ],
};

const SLOT: RowFormat<BucketSlotRow> = {
  version: VERSION,
  fields: [
    ["id", "name"],
    ["untilMs", "time"],
  ],
};

/** A bucket's row as a JSON value: its tag, its fields, what is in hand, and its slots. */
export function encodeBucketRow(row: BucketRow): readonly unknown[] {
  const { holds, slots } = row;
  return [TAG, values(ROW, row), holds.map((hold) => values(HOLD, hold)), slots.map((slot) => values(SLOT, slot))];
}

/**
 * Reads back what {@link encodeBucketRow} made.
 * @param where what holds it, for messages
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeBucketRow(stored: unknown, where: string): BucketRow {
  const [tag, fields, holds, slots] = listOf(stored, "a bucket", where);
  if (tag !== TAG) throw damagedBucket(where, `format version ${String(tag)}`);
  const row = checkList(ROW, fields, where, damagedBucket);
  if (row.max > 0 && !(row.windowMs > 0 && row.burst > 0))
    throw damagedBucket(where, `max ${row.max} with windowMs ${row.windowMs} and burst ${row.burst}`);
  return {
    ...row,
    former: row.former ?? undefined,
    holds: listOf(holds, "holds", where).map((hold) => ({ ...checkList(HOLD, hold, where, damagedBucket) })),
    slots: listOf(slots, "slots", where).map((slot) => ({ ...checkList(SLOT, slot, where, damagedBucket) })),
  };
}

function listOf(stored: unknown, name: string, where: string): readonly unknown[] {
  if (Array.isArray(stored)) return stored;
  throw damagedBucket(where, `no list where ${name} belongs`);
}

function values<Row>(format: RowFormat<Row>, row: Row): readonly unknown[] {
  return format.fields.map(([name]) => row[name] ?? null);
}
