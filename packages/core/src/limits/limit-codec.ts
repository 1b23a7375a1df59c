import type { LimitHistoryEntry, LimitKind, LimitRecord, LimitValues } from "../contract/limit-ledger.ts";
import { damagedLimit } from "./damaged-limit.ts";
import type { LimitRecordHead, LimitRecordRow, UncheckedLimitRecord } from "./limit-row.ts";
import { limitStateOf } from "./limit-state.ts";
import { faultOfValues } from "./limit-values.ts";

/** Beyond what any rule makes of times within bounds. */
const BEYOND_MS = 1e16;

/** The tag of the format in which a record is one JSON value. */
const TAG = "l1";

const NOTHING: UncheckedLimitRecord = {
  ...{ revision: undefined, values: undefined, untilMs: undefined, history: undefined },
};

/** The most changes that a record tells of. */
export const MOST_HISTORY = 20;

/**
 * Checks what a store holds of a record, for a request with `stored`.
 * @throws DtError `DT_STORE_DATA`
 */
export function checkLimitHead(stored: Readonly<Record<keyof LimitRecordHead, unknown>>): LimitRecordHead {
  const { revision, values, untilMs } = stored;
  if (!isRevision(revision)) throw damagedLimit(`revision ${show(revision)}`);
  if (values !== null && typeof values !== "string") throw damagedLimit(`values ${show(values)}`);
  if (untilMs !== null && !isTime(untilMs)) throw damagedLimit(`untilMs ${show(untilMs)}`);
  return { revision, values, untilMs };
}

/**
 * Checks all that a store holds of a record.
 * @throws DtError `DT_STORE_DATA`
 */
export function checkLimitRow(stored: UncheckedLimitRecord): LimitRecordRow {
  if (typeof stored.history !== "string") throw damagedLimit(`history ${show(stored.history)}`);
  return { ...checkLimitHead(stored), history: stored.history };
}

/** A record as one JSON value, for stores that keep one. */
export function encodeLimitRow({ revision, values, untilMs, history }: LimitRecordRow): readonly unknown[] {
  return [TAG, revision, values, untilMs, history];
}

/** The parts of what {@link encodeLimitRow} made, unchecked. What is something else has none. */
export function limitPartsOf(stored: unknown): UncheckedLimitRecord {
  const [tag, revision, values, untilMs, history] = Array.isArray(stored) ? (stored as readonly unknown[]) : [];
  return tag === TAG ? { revision, values, untilMs, history } : NOTHING;
}

/** @throws DtError `DT_STORE_DATA` */
export function decodeValues(kind: LimitKind, text: string | null): LimitValues {
  const values = parsed(text ?? "null");
  if (faultOfValues(kind, values) !== undefined) throw damagedLimit(`values ${show(text)}`);
  return values as LimitValues;
}

/**
 * A record as people and tools see it.
 * @throws DtError `DT_STORE_DATA`
 */
export function limitRecordOf(kind: LimitKind, row: LimitRecordRow, clockMs: number): LimitRecord {
  return {
    revision: row.revision,
    ...(row.values !== null && { values: decodeValues(kind, row.values) }),
    ...(row.untilMs !== null && { untilMs: row.untilMs }),
    inForce: limitStateOf(row, clockMs) > 0,
    history: decodeHistory(kind, row.history),
    storeTimeMs: clockMs,
  };
}

/** @throws DtError `DT_STORE_DATA` */
export function decodeHistory(kind: LimitKind, text: string): readonly LimitHistoryEntry[] {
  const list = parsed(text);
  if (!Array.isArray(list) || list.length > MOST_HISTORY) throw damagedLimit(`history ${show(text)}`);
  for (const entry of list as unknown[])
    if (!isEntry(kind, entry)) throw damagedLimit(`a change ${show(JSON.stringify(entry))}`);
  return list as readonly LimitHistoryEntry[];
}

function isEntry(kind: LimitKind, entry: unknown): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  const { atMs, by, from, to, why, untilMs } = entry as Readonly<Record<string, unknown>>;
  return (
    isTime(atMs) &&
    typeof by === "string" &&
    (why === undefined || typeof why === "string") &&
    (untilMs === undefined || isTime(untilMs)) &&
    [from, to].every((values) => values === undefined || faultOfValues(kind, values) === undefined)
  );
}

function isRevision(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= BEYOND_MS;
}

/** Undefined, which is nothing that is looked for, where the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 40);
}
