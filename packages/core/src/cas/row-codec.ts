import { DtError } from "../errors/dt-error.ts";
import type { GroupRow, MemberRow } from "../ledger/table.ts";

/** A row as JSON: its fields in a fixed order, without their names, which would be most of it. */
export type StoredRow = readonly (string | number | null)[];

type Kind = "count" | "time" | "number" | "name" | "level" | "standing";

/** The fields of a row in their order, with what each may hold. A released order never changes: a new one is a new format. */
export type RowFormat<Row> = readonly (readonly [keyof Row & string, Kind])[];

const GROUP_FIELDS: RowFormat<Omit<GroupRow, "offsetMs">> = [
  ["generation", "count"],
  ["poolSize", "count"],
  ["held", "count"],
  ["adopted", "count"],
  ["capacity", "count"],
  ["largestPoolSize", "count"],
  ["intervalMs", "time"],
  ["createdAtMs", "time"],
  ["learnFromMs", "time"],
  ["learnUntilMs", "time"],
  ["lastMs", "time"],
  ["lapsedMs", "time"],
  ["quietLimitMs", "time"],
  ["longestStaleMs", "time"],
  ["clockErrorMs", "time"],
  ["aheadUntilMs", "time"],
  ["repairs", "count"],
];

const MEMBER_FIELDS: RowFormat<MemberRow> = [
  ["id", "name"],
  ["incarnation", "name"],
  ["seq", "count"],
  ["rank", "count"],
  ["generation", "count"],
  ["poolSize", "count"],
  ["held", "count"],
  ["max", "count"],
  ["level", "level"],
  ["staleAfterMs", "time"],
  ["clockErrorMs", "time"],
  ["resumeWithinMs", "time"],
  ["expiresAtMs", "time"],
  ["standing", "standing"],
  ["joined", "number"],
];

/** For stores with a hybrid clock, whose group time needs no offset: `offsetMs` is not stored and read as 0. */
export function encodeGroup(row: GroupRow): StoredRow {
  return GROUP_FIELDS.map(([field]) => row[field]);
}

export function encodeMember(row: MemberRow): StoredRow {
  return MEMBER_FIELDS.map(([field]) => row[field]);
}

/**
 * Reads back what {@link encodeGroup} made.
 * @param where what holds it, for the message: `"etcd key dt/payments/group"`
 * @throws DtError `DT_STORE_REPLY` when it is something else
 */
export function decodeGroup(stored: unknown, where: string): GroupRow {
  return { ...decodeRow(stored, GROUP_FIELDS, where), offsetMs: 0 };
}

/**
 * Reads back what {@link encodeMember} made.
 * @throws DtError `DT_STORE_REPLY` when it is something else
 */
export function decodeMember(stored: unknown, where: string): MemberRow {
  return decodeRow(stored, MEMBER_FIELDS, where);
}

/** What a store holds is not what this library wrote there; nothing can be done with it. */
export function malformed(where: string, fault: string): DtError {
  return new DtError(
    "DT_STORE_REPLY",
    `${where} holds ${fault}; something else wrote it, or a newer version of this package: delete it, or use another prefix`,
  );
}

/** The error for what a store should not hold. */
export type Refusal = (where: string, fault: string) => DtError;

/**
 * Parses JSON text that must be an object.
 * @throws DtError `DT_STORE_REPLY`
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
 * @throws DtError `DT_STORE_REPLY` when it is something else
 */
export function decodeRow<Row>(
  stored: unknown,
  fields: RowFormat<Row>,
  where: string,
  refusal: Refusal = malformed,
): Row {
  if (!Array.isArray(stored) || stored.length !== fields.length)
    throw refusal(where, `a row that has not ${fields.length} fields`);
  const row: Record<string, unknown> = {};
  for (const [index, [field, kind]] of fields.entries()) {
    const value: unknown = stored[index];
    if (!KINDS[kind](value)) throw refusal(where, `${field} ${JSON.stringify(value)?.slice(0, 40)}`);
    row[field] = value;
  }
  return row as Row;
}

const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isTime = (value: unknown): boolean => isNumber(value) && (value as number) >= 0;

const KINDS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  time: isTime,
  number: isNumber,
  name: (value) => typeof value === "string" && value !== "",
  level: (value) => value === null || isTime(value),
  standing: (value) => value === "newcomer" || value === "holder" || value === "fenced",
};
