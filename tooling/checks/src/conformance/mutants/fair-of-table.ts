import { fairOf } from "@dt/core/ledger";
import type { PlainTable } from "./plain-table.ts";

/** What each member of a table should hold, without a remainder. */
export function fairOfTable(table: PlainTable): number {
  const row = table.group();
  return row && row.memberCount > 0 ? fairOf(row).fair : 0;
}
