import {
  DamagedData,
  decodeRow as decodeLedgerRow,
  encodeRow as encodeLedgerRow,
  GROUP_FORMAT,
  type GroupRow,
  MEMBER_FORMAT,
  type MemberRow,
  type Refusal,
  readTag,
  type StoredRow,
  tagOf,
} from "@dt/core/ledger";

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

/** The version of the format of values that hold rows. */
const VERSION = 1;

/** Such a value's mark of its format, as a row has one. */
export const TAG: string = tagOf(VERSION);

/**
 * Checks a value's mark of its format.
 * @throws DtError `DT_STORE_DATA`: a {@link DamagedData}, unless another version wrote it, which must not be repaired
 */
export function checkTag(found: unknown, where: string): void {
  readTag(found, VERSION, where);
}

/**
 * Parses JSON text that must be an object.
 * @throws DtError `DT_STORE_DATA`
 */
export function parseStored(
  text: string,
  where: string,
  refusal: Refusal = (at, fault) => new DamagedData(at, fault),
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
