import type { LimitChange, LimitHistoryEntry, LimitKind } from "../contract/limit-ledger.ts";
import { isDtError } from "../errors/dt-error.ts";
import { decodeHistory, decodeValues, MOST_HISTORY } from "./limit-codec.ts";
import type { LimitRecordRow } from "./limit-row.ts";
import { limitStateOf } from "./limit-state.ts";

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
  const entry: LimitHistoryEntry = {
    atMs: Math.round(clockMs),
    by: change.by,
    ...valuesBefore(kind, row, change, clockMs),
    ...(change.values && { to: change.values }),
    ...(change.why !== undefined && { why: change.why }),
    ...(untilMs !== null && { untilMs }),
  };
  const before = row ? (unlessDamaged(() => decodeHistory(kind, row.history)) ?? []) : [];
  return {
    revision: row ? row.revision + 1 : revision,
    values: change.values ? JSON.stringify(change.values) : null,
    untilMs,
    history: JSON.stringify([entry, ...before].slice(0, MOST_HISTORY)),
  };
}

/** What counted before, as far as the record or the caller can tell. */
function valuesBefore(
  kind: LimitKind,
  row: LimitRecordRow | undefined,
  change: LimitChange,
  clockMs: number,
): Pick<LimitHistoryEntry, "from"> {
  const set = row && limitStateOf(row, clockMs) > 0 ? unlessDamaged(() => decodeValues(kind, row.values)) : undefined;
  const from = set ?? change.from;
  return from ? { from } : {};
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!isDtError(error, "DT_STORE_DATA")) throw error;
    return undefined;
  }
}
