import type { DtError } from "../errors/dt-error.ts";
import { isCopy } from "../limits/limit-values.ts";
import { LONGEST_MS, MOST_MEMBERS, MOST_TOKENS } from "./bounds.ts";
import { DamagedData, newerData, unreleasedData } from "./damage.ts";
import type { SlotRow } from "./slot-table.ts";
import type { GroupRow, MemberRow } from "./table.ts";

/**
 * A row as a list of JSON values, the tag of its format first: fields in a fixed order, without their names, which
 * would be most of it.
 */
export type StoredRow = readonly unknown[];

/**
 * A field: its name, what it may hold, and for one that an older version did not have: the version it came with, and
 * its value before.
 */
export type RowField<Row> = readonly [name: keyof Row & string, kind: RowKind, since?: number, before?: unknown];

/**
 * What rows of one kind look like, the one place where that is declared. A new field comes last, with a new version and
 * the value that it has in older rows; a field that has been released keeps its place and kind.
 */
export interface RowFormat<Row> {
  readonly version: number;
  readonly fields: readonly RowField<Row>[];
}

export const GROUP_FORMAT: RowFormat<GroupRow> = {
  version: 1,
  fields: [
    ["generation", "count"],
    ["memberCount", "members"],
    ["held", "count"],
    ["adopted", "members"],
    ["capacity", "tokens"],
    ["largestMemberCount", "members"],
    ["intervalMs", "duration"],
    ["createdAtMs", "time"],
    ["learnFromMs", "time"],
    ["learnUntilMs", "time"],
    ["lastMs", "time"],
    ["offsetMs", "offset"],
    ["lapsedMs", "time"],
    ["quietLimitMs", "duration"],
    ["longestStaleMs", "duration"],
    ["clockErrorMs", "duration"],
    ["aheadUntilMs", "time"],
    ["repairs", "count"],
    ["freedEpoch", "maybeCount"],
    ["spent", "tokens"],
    ["wants", "wants"],
    ["hungryMs", "maybeTime"],
    ["pausedUntilMs", "time"],
    ["stored", "copy", 1, null],
  ],
};

export const MEMBER_FORMAT: RowFormat<MemberRow> = {
  version: 1,
  fields: [
    ["id", "name"],
    ["incarnation", "name"],
    ["seq", "count"],
    ["rank", "members"],
    ["generation", "count"],
    ["memberCount", "members"],
    ["held", "tokens"],
    ["max", "maybeTokens"],
    ["level", "level"],
    ["staleAfterMs", "duration"],
    ["clockErrorMs", "duration"],
    ["resumeWithinMs", "duration"],
    ["expiresAtMs", "time"],
    ["standing", "standing"],
    ["joined", "integer"],
    ["want", "maybeCount"],
    ["odd", "flag"],
    ["gaveUpMs", "time"],
    ["restUntilMs", "endless"],
    ["activity", "activity"],
  ],
};

export const SLOT_FORMAT: RowFormat<SlotRow> = {
  version: 1,
  fields: [
    ["incarnation", "name"],
    ["held", "tokens"],
    ["want", "count"],
    ["seq", "count"],
    ["head", "tokens"],
    ["sinceMs", "maybeTime"],
    ["tier", "tier"],
    ["reportedMs", "time"],
    ["offeredMs", "maybeTime"],
    ["askedMs", "maybeTime"],
    ["asked", "tokens"],
    ["heldSinceMs", "time"],
  ],
};

export function encodeRow<Row>(format: RowFormat<Row>, row: Row): StoredRow {
  return [tagOf(format.version), ...format.fields.map(([name]) => row[name])];
}

/** What a row of this version of a format begins with. */
export function tagOf(version: number): string {
  return `f${version}`;
}

/** Rows of checkouts from before format 1 begin with this number. */
const UNRELEASED = 1;

/**
 * The version of what begins so.
 * @throws DamagedData when it is no tag; DtError `DT_STORE_DATA` when it is that of a newer version, or of a checkout
 *   from before format 1
 */
export function readTag(tag: unknown, known: number, where: string): number {
  if (tag === UNRELEASED) throw unreleasedData(where);
  // What has more digits is no version of anything.
  const [, digits] = (typeof tag === "string" && /^f([1-9]\d{0,2})$/.exec(tag)) || [];
  if (digits === undefined) throw new DamagedData(where, `the format ${show(tag)}`);
  if (Number(digits) > known) throw newerData(where, Number(digits), known);
  return Number(digits);
}

/**
 * Reads back what {@link encodeRow} made, this version's or an older one's.
 * @param where what holds it, for messages: `etcd key dt/payments/group`
 * @throws DamagedData (`DT_STORE_DATA`) when it is something else; DtError `DT_STORE_DATA` as {@link readTag} does
 */
export function decodeRow<Row>(format: RowFormat<Row>, stored: unknown, where: string): Row {
  if (!Array.isArray(stored)) throw new DamagedData(where, "no row");
  const [tag, ...values] = stored as unknown[];
  const version = readTag(tag, format.version, where);
  const present = format.fields.filter(([, , since = 1]) => since <= version).length;
  if (values.length !== present) throw new DamagedData(where, `${values.length} fields where ${present} belong`);
  let next = 0;
  return checked(format, where, damaged, ([, , since = 1, before]) => (since <= version ? values[next++] : before));
}

/** The error for what a store should not hold. */
export type Refusal = (where: string, fault: string) => DtError;

const damaged: Refusal = (where, fault) => new DamagedData(where, fault);

/**
 * Checks a row that is stored by names. Fields that are not there have the value of older versions.
 * @throws DamagedData (`DT_STORE_DATA`), unless there is another `refusal`
 */
export function checkRow<Row>(
  format: RowFormat<Row>,
  stored: Readonly<Record<string, unknown>>,
  where: string,
  refusal: Refusal = damaged,
): Row {
  const find = ([name, , , before]: RowField<Row>): unknown => (Object.hasOwn(stored, name) ? stored[name] : before);
  return checked(format, where, refusal, find);
}

/**
 * Checks a list of a row's values without a tag, which is part of something that has one.
 * @throws as {@link checkRow} does
 */
export function checkList<Row>(
  format: RowFormat<Row>,
  stored: unknown,
  where: string,
  refusal: Refusal = damaged,
): Row {
  const values: readonly unknown[] = Array.isArray(stored) ? stored : [];
  const { length } = format.fields;
  if (values.length !== length) throw refusal(where, `${values.length} fields where ${length} belong`);
  let next = 0;
  return checked(format, where, refusal, () => values[next++]);
}

/** A row of what is found for each field, in the order of the format. */
function checked<Row>(
  format: RowFormat<Row>,
  where: string,
  refusal: Refusal,
  find: (field: RowField<Row>) => unknown,
): Row {
  const row: Record<string, unknown> = {};
  for (const field of format.fields) {
    const [name, kind] = field;
    const value = find(field);
    if (!KINDS[kind](value)) throw refusal(where, `${name} ${show(value)}`);
    row[name] = value;
  }
  return row as Row;
}

function show(value: unknown): string {
  return typeof value === "number" || value === undefined
    ? String(value)
    : (JSON.stringify(value) ?? typeof value).slice(0, 40);
}

/** Beyond what any rule makes of times within bounds. */
const BEYOND_MS = 1e16;

const isWhole = (value: unknown, most = Number.MAX_SAFE_INTEGER): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
const isWithin = (value: unknown, least: number, most: number): boolean =>
  typeof value === "number" && value >= least && value <= most;

/** What a field may hold. */
export type RowKind =
  | "count"
  | "integer"
  | "members"
  | "tokens"
  | "maybeTokens"
  | "copy"
  | "permitCopy"
  | "duration"
  | "time"
  | "offset"
  | "name"
  | "text"
  | "level"
  | "standing"
  | "flag"
  | "maybeCount"
  | "maybeTime"
  | "maybeText"
  | "endless"
  | "real"
  | "wants"
  | "tier"
  | "activity";

const KINDS: Readonly<Record<RowKind, (value: unknown) => boolean>> = {
  count: (value) => isWhole(value),
  integer: (value) => Number.isSafeInteger(value),
  members: (value) => isWhole(value, MOST_MEMBERS),
  tokens: (value) => isWhole(value, MOST_TOKENS),
  maybeTokens: (value) => value === null || isWhole(value, MOST_TOKENS),
  copy: (value) => value === null || isCopy("group", value),
  permitCopy: (value) => value === null || (isCopy("permits", value) && "burst" in value.values),
  duration: (value) => isWithin(value, 0, LONGEST_MS),
  time: (value) => isWithin(value, 0, BEYOND_MS),
  offset: (value) => isWithin(value, -BEYOND_MS, BEYOND_MS),
  name: (value) => typeof value === "string" && value !== "",
  text: (value) => typeof value === "string",
  level: (value) => value === null || isWithin(value, 0, MOST_TOKENS),
  standing: (value) => value === "newcomer" || value === "holder" || value === "fenced",
  flag: (value) => typeof value === "boolean",
  maybeCount: (value) => value === null || isWhole(value),
  maybeTime: (value) => value === null || isWithin(value, 0, BEYOND_MS),
  maybeText: (value) => value === null || typeof value === "string",
  // A rest may be as long as wants, members and sync intervals make it.
  endless: (value) => isWithin(value, 0, Number.MAX_VALUE),
  real: (value) => Number.isFinite(value),
  wants: isWants,
  tier: (value) => value === 0 || value === 1 || value === 2,
  activity: (value) => value === null || isActivity(value),
};

/** Wants that are counted, the smallest first. */
function isWants(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  let last = -1;
  return (value as unknown[]).every((entry) => {
    if (!Array.isArray(entry) || entry.length !== 2) return false;
    const [want, members] = entry as unknown[];
    const isNext = isWhole(want) && (want as number) > last && isWhole(members, MOST_MEMBERS) && members !== 0;
    last = want as number;
    return isNext;
  });
}

function isActivity(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 2) return false;
  const { used, waiting } = value as { readonly used?: unknown; readonly waiting?: unknown };
  return isWhole(used, MOST_TOKENS) && isWhole(waiting, MOST_TOKENS);
}
