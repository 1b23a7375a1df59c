import type { Registration, Report } from "../contract/members.ts";
import { storedValue } from "../limits/stored-value.ts";
import type { GroupCopy, GroupRow, LedgerTable } from "./table.ts";

/**
 * What the group's limit is for a request with `stored`: the record's or, where none counts, the code's. Undefined for
 * other requests, and where the store keeps no stored limits. It is read before anything is changed, so that a damaged
 * record refuses the request as a whole (L6).
 * @throws DtError `DT_STORE_DATA`
 */
export function limitFor(
  table: Pick<LedgerTable, "limit">,
  { stored, max }: Pick<Registration | Report, "stored" | "max">,
  clockMs: number,
): GroupCopy | undefined {
  if (!stored || !table.limit) return undefined;
  return storedValue("group", undefined, table.limit(), { max }, clockMs) as GroupCopy;
}

/** Takes in the limit of a request with `stored` (R36): true where it is of another state than the copy. */
export function takeLimit(row: GroupRow, limit: GroupCopy | undefined): boolean {
  if (!limit || row.stored?.revision === limit.revision) return false;
  row.stored = limit;
  return true;
}

/** The capacity (R6, R36): the smaller one of the copy and of what members without `stored` declare; 0 for neither. */
export function capacityOf(stored: GroupCopy | null, smallestMax: number | undefined): number {
  return Math.min(stored?.values.max ?? smallestMax ?? 0, smallestMax ?? stored?.values.max ?? 0);
}
