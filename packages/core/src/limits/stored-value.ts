import type { LimitKind, LimitValues, StoredCopy } from "../contract/limit-ledger.ts";
import { decodeValues } from "./limit-codec.ts";
import type { LimitRecordHead } from "./limit-row.ts";
import { limitStateOf } from "./limit-state.ts";

/**
 * The copy that a row keeps after a request with `stored` (L4): the one of before while the record is in the same
 * state; otherwise the record's values or, where none count, those of the request. It is the same object where nothing
 * changed.
 * @param kind what the limit is of
 * @param copy the copy of before
 * @param head the record, if there is one
 * @param code the values in the code of the process that asks
 * @param clockMs the time on the store's clock
 * @throws DtError `DT_STORE_DATA` (L6)
 * @example
 * const stored = storedValue("group", row.stored, table.limit(), { max: report.max }, clockMs);
 */
export function storedValue(
  kind: LimitKind,
  copy: StoredCopy | null | undefined,
  head: LimitRecordHead | undefined,
  code: LimitValues,
  clockMs: number,
): StoredCopy {
  const revision = limitStateOf(head, clockMs);
  if (copy?.revision === revision) return copy;
  const set = revision > 0 ? decodeValues(kind, (head as LimitRecordHead).values) : {};
  return { revision, values: { ...code, ...set } };
}
