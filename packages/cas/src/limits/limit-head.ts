import {
  checkLimitHead,
  type LimitRecordHead,
  limitStateOf,
  storedValue,
  type UncheckedLimitRecord,
} from "@dt/core/ledger";

/** A limit record as it was read with a document or a ledger. */
export interface ReadLimit {
  readonly record: UncheckedLimitRecord;
  /** The time of records when it was read, in milliseconds. */
  readonly timeMs: number;
}

/**
 * What of a record counts for a request (L3), as a record without an end: the time of a group or a document is another
 * one. Wall clocks differ. So the time of a record is over for a row as soon as one of those who use the row has found
 * it so.
 * @param copied the state that the copy is of; undefined where there is none
 * @throws DtError `DT_STORE_DATA` (L6)
 */
export function limitHead({ record, timeMs }: ReadLimit, copied: number | undefined): LimitRecordHead {
  const { revision, values, untilMs } = checkLimitHead(record);
  const isOver = copied === -revision || limitStateOf({ revision, values, untilMs }, timeMs) < 0;
  return { revision, values: isOver ? null : values, untilMs: null };
}

/**
 * True where the copy in a group's row is of the present state of its record: a request with `stored` has nothing new
 * for it.
 * @param limit the record; undefined where there is none
 * @param copied the state that the copy is of; undefined where there is none
 * @throws DtError `DT_STORE_DATA` (L6)
 */
export function isLimitCurrent(limit: ReadLimit | undefined, copied: number | undefined): boolean {
  // It has no end any more, so that any time will do.
  return storedValue("group", undefined, limit && limitHead(limit, copied), {}, 0).revision === copied;
}
