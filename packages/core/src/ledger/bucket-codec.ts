import type { BucketRow, BucketSlotRow, HoldRow, LimitNumbers, StoredLimitRow } from "../keyed/bucket-table.ts";
import { damagedBucket } from "../keyed/damaged-bucket.ts";
import { checkList, type RowFormat, tagOf } from "./rows.ts";

/** The version of the format of buckets. */
const VERSION = 1;

const TAG = tagOf(VERSION);

const ROW: RowFormat<Omit<BucketRow, "holds" | "slots" | "former" | "stored">> = {
  version: VERSION,
  fields: [
    ["lastMs", "time"],
    ["offsetMs", "offset"],
    ["max", "endless"],
    ["windowMs", "endless"],
    ["burst", "endless"],
    ["concurrent", "count"],
    ["used", "endless"],
    ["hits", "count"],
    ["hitsUntilMs", "time"],
  ],
};

const NUMBERS: RowFormat<LimitNumbers> = {
  version: VERSION,
  fields: [
    ["max", "endless"],
    ["windowMs", "endless"],
    ["burst", "endless"],
    ["concurrent", "count"],
  ],
};

const STORED: RowFormat<Omit<StoredLimitRow, "declared">> = {
  version: VERSION,
  fields: [["revision", "integer"], ...NUMBERS.fields, ["declaredMs", "time"]],
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
    ["busy", "flag"],
  ],
};

const SLOT: RowFormat<BucketSlotRow> = {
  version: VERSION,
  fields: [
    ["id", "name"],
    ["untilMs", "time"],
  ],
};

/**
 * A bucket's row as a JSON value: its tag, its fields, what is in hand, and its slots. Most have none of what may come
 * then: the former limit, the copy of the limit record, and the limit that users without it declare.
 */
export function encodeBucketRow(row: BucketRow): readonly unknown[] {
  const { holds, slots, former, stored } = row;
  const declared = stored?.declared;
  const limits = [
    former ? values(NUMBERS, former) : null,
    stored ? values(STORED, stored) : null,
    declared ? values(NUMBERS, declared) : null,
  ];
  return [
    ...[TAG, values(ROW, row), holds.map((hold) => values(HOLD, hold)), slots.map((slot) => values(SLOT, slot))],
    ...(former || stored ? limits : []),
  ];
}

/**
 * Reads back what {@link encodeBucketRow} made.
 * @param where what holds it, for messages
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeBucketRow(value: unknown, where: string): BucketRow {
  const [tag, fields, holds, slots, former = null, stored = null, declared = null] = listOf(value, "a bucket", where);
  if (tag !== TAG) throw damagedBucket(where, `format version ${String(tag)}`);
  const row = checkList(ROW, fields, where, damagedBucket);
  if (row.max > 0) checkLimit(row, where);
  return {
    ...row,
    holds: listOf(holds, "holds", where).map((hold) => ({ ...checkList(HOLD, hold, where, damagedBucket) })),
    slots: listOf(slots, "slots", where).map((slot) => ({ ...checkList(SLOT, slot, where, damagedBucket) })),
    ...(former !== null && { former: numbersOf(former, where) }),
    ...(stored !== null && {
      stored: {
        ...checkLimit(checkList(STORED, stored, where, damagedBucket), where),
        ...(declared !== null && { declared: numbersOf(declared, where) }),
      },
    }),
  };
}

function numbersOf(stored: unknown, where: string): LimitNumbers {
  return checkLimit(checkList(NUMBERS, stored, where, damagedBucket), where);
}

/** A division by one of them would be no number. */
function checkLimit<Limit extends LimitNumbers>(limit: Limit, where: string): Limit {
  const { max, windowMs, burst } = limit;
  if (max > 0 && windowMs > 0 && burst > 0) return limit;
  throw damagedBucket(where, `max ${max} with windowMs ${windowMs} and burst ${burst}`);
}

function listOf(stored: unknown, name: string, where: string): readonly unknown[] {
  if (Array.isArray(stored)) return stored;
  throw damagedBucket(where, `no list where ${name} belongs`);
}

function values<Row>(format: RowFormat<Row>, row: Row): readonly unknown[] {
  return format.fields.map(([name]) => row[name]);
}
