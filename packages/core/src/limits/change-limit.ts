import type { LimitChange, LimitHistoryEntry, LimitKind, LimitValues } from "../contract/limit-ledger.ts";
import { isDtError } from "../errors/dt-error.ts";
import { decodeHistory, decodeValues, MOST_HISTORY } from "./limit-codec.ts";
import type { LimitRecordRow } from "./limit-row.ts";
import { limitStateOf } from "./limit-state.ts";

/**
 * Programs write what they learn, every minute or so. Were each change an entry, 20 of them would tell of the last few
 * minutes.
 */
const ONE_ENTRY_MS = 3_600_000;

/**
 * The record after a change (L2). What of its history is damaged begins anew.
 * @param kind what the limit is of
 * @param row the record of before; undefined where there is none
 * @param change what is said
 * @param clockMs the time on the store's clock
 * @param revision what it is numbered where there is none of before. Default 1
 * @example
 * const row = changeLimit("group", undefined, { values: { max: 50 }, by: "ann" }, 1_000);
 */
export function changeLimit(
  kind: LimitKind,
  row: LimitRecordRow | undefined,
  change: LimitChange,
  clockMs: number,
  revision: number = 1,
): LimitRecordRow {
  const untilMs = change.forMs === undefined ? null : Math.round(clockMs + change.forMs);
  const set = valuesInForce(kind, row, clockMs);
  const from = set ?? change.from;
  const to = change.values && kind === "learned" ? { ...set, ...change.values } : change.values;
  const entry: LimitHistoryEntry = {
    atMs: Math.round(clockMs),
    by: change.by,
    ...(from && { from }),
    ...(to && { to }),
    ...(change.why !== undefined && { why: change.why }),
    ...(untilMs !== null && { untilMs }),
  };
  const before = row ? (unlessDamaged(() => decodeHistory(kind, row.history)) ?? []) : [];
  const history = kind === "learned" ? withLearned(entry, before) : [entry, ...before];
  return {
    revision: row ? row.revision + 1 : revision,
    values: to ? JSON.stringify(to) : null,
    untilMs,
    history: JSON.stringify(history.slice(0, MOST_HISTORY)),
  };
}

/** What one writer learns within an hour is one entry, with the time and the values of before of its first change. */
function withLearned(entry: LimitHistoryEntry, before: readonly LimitHistoryEntry[]): readonly LimitHistoryEntry[] {
  const [newest, ...older] = before;
  const isOne =
    newest?.to !== undefined &&
    entry.to !== undefined &&
    newest.by === entry.by &&
    entry.atMs - newest.atMs < ONE_ENTRY_MS;
  if (!isOne) return [entry, ...before];
  const { from: _, ...last } = entry;
  return [{ ...last, atMs: newest.atMs, ...(newest.from && { from: newest.from }) }, ...older];
}

/** What counts by the record, as far as it can be read. */
function valuesInForce(kind: LimitKind, row: LimitRecordRow | undefined, clockMs: number): LimitValues | undefined {
  if (!row || limitStateOf(row, clockMs) <= 0) return undefined;
  return unlessDamaged(() => decodeValues(kind, row.values));
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!isDtError(error, "DT_STORE_DATA")) throw error;
    return undefined;
  }
}
