import type { DtError } from "@dt/core";
import {
  DamagedData,
  decodeRow as decodeLedgerRow,
  encodeRow as encodeLedgerRow,
  GROUP_FORMAT,
  type GroupRow,
  MEMBER_FORMAT,
  type MemberRow,
  readTag,
  type StoredRow,
  tagOf,
} from "@dt/core/ledger";

type Kind = "count" | "time" | "number" | "name" | "text" | "flag" | "level" | "maybeText";

/**
 * The fields of a row in their order, with what each may hold. A released order never changes: a new one is a new
 * format.
 */
export type RowFormat<Row> = readonly (readonly [keyof Row & string, Kind])[];

/** For stores with a hybrid clock, whose group time needs no offset: it is stored as 0. */
export function encodeGroup(row: GroupRow): StoredRow {
  return encodeLedgerRow(GROUP_FORMAT, { ...row, offsetMs: 0 });
}

export function encodeMember(row: MemberRow): StoredRow {
  return encodeLedgerRow(MEMBER_FORMAT, row);
}

/**
 * Reads back what {@link encodeGroup} made.
 * @param where what holds it, for the message: `"etcd key dt//groups/payments/group"`
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeGroup(stored: unknown, where: string): GroupRow {
  return { ...decodeLedgerRow(GROUP_FORMAT, stored, where), offsetMs: 0 };
}

/**
 * Reads back what {@link encodeMember} made.
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeMember(stored: unknown, where: string): MemberRow {
  return decodeLedgerRow(MEMBER_FORMAT, stored, where);
}

/** @param fault what is there instead: `"no head of a group"` */
export function malformed(where: string, fault: string): DamagedData {
  return new DamagedData(where, fault);
}

/** The version of the format of values that hold rows. */
const VERSION = 1;

/** What such a value says of its format, as a row does. */
export const TAG: string = tagOf(VERSION);

/**
 * Checks what a value says of its format.
 * @throws DtError `DT_STORE_DATA`: a {@link DamagedData}, unless another version wrote it, which is nobody's to mend
 */
export function checkTag(found: unknown, where: string): void {
  readTag(found, VERSION, where);
}

/** The error for what a store should not hold. */
export type Refusal = (where: string, fault: string) => DtError;

/**
 * Parses JSON text that must be an object.
 * @throws DtError `DT_STORE_DATA`
 */
export function parseStored(
  text: string,
  where: string,
  refusal: Refusal = malformed,
): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refusal(where, "something that is not JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refusal(where, "no JSON object");
  return value as Readonly<Record<string, unknown>>;
}

/**
 * Reads back a row of the values of these fields.
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeRow<Row>(
  stored: unknown,
  fields: RowFormat<Row>,
  where: string,
  refusal: Refusal = malformed,
): Row {
  if (!Array.isArray(stored) || stored.length !== fields.length)
    throw refusal(where, `a row that has not ${fields.length} fields`);
  return decoded(fields, where, refusal, (_, index) => stored[index]);
}

/**
 * Reads these fields out of an object, each by its name.
 * @throws DtError `DT_STORE_DATA` when one is missing or of another kind
 */
export function decodeFields<Row>(
  stored: Readonly<Record<string, unknown>>,
  fields: RowFormat<Row>,
  where: string,
  refusal: Refusal = malformed,
): Row {
  return decoded(fields, where, refusal, (field) => stored[field]);
}

/** A row of what is found for each field. */
function decoded<Row>(
  fields: RowFormat<Row>,
  where: string,
  refusal: Refusal,
  find: (field: string, index: number) => unknown,
): Row {
  const row: Record<string, unknown> = {};
  let index = 0;
  for (const [field, kind] of fields) {
    const value = find(field, index++);
    if (!KINDS[kind](value)) throw refusal(where, `${field} ${JSON.stringify(value)?.slice(0, 40)}`);
    row[field] = value;
  }
  return row as Row;
}

/** No time of this library's is later, in milliseconds; what is may not be added to any more without being rounded. */
const LATEST_MS = Number.MAX_SAFE_INTEGER;

const isNumber = (value: unknown): boolean => typeof value === "number" && Math.abs(value) <= LATEST_MS;
const isTime = (value: unknown): boolean => isNumber(value) && (value as number) >= 0;

const KINDS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  time: isTime,
  number: isNumber,
  name: (value) => typeof value === "string" && value !== "",
  text: (value) => typeof value === "string",
  flag: (value) => typeof value === "boolean",
  maybeText: (value) => value === null || typeof value === "string",
  level: (value) => value === null || isTime(value),
};
