import { DtError } from "@dt/core";
import {
  type BudgetState,
  checkList,
  damagedBudget,
  decodeBudgetRow,
  decodeLease,
  encodeBudgetRow,
  encodeLease,
  type LimitRecordHead,
  MemoryBudgetTable,
  type RowFormat,
} from "@dt/core/ledger";
import { parseStored, TAG } from "../row-codec.ts";
import { LONGEST_TEXT, type TimedDocument } from "../timed-document/document-kind.ts";
import { type DocumentUse, USE_FIELDS } from "../timed-document/document-use.ts";

/** What is known of a budget. */
export interface BudgetContents {
  readonly table: MemoryBudgetTable;
  /** What the table gives for its limit record, while a request with `stored` is served. */
  limit?: LimitRecordHead | undefined;
}

/** A budget as it is known. @param state left out where nothing is known */
export function budgetContents(state?: BudgetState): BudgetContents {
  const contents: BudgetContents = { table: new MemoryBudgetTable(state, () => contents.limit) };
  return contents;
}

/** All that is known of a budget, as one value. */
export type BudgetDocument = TimedDocument<BudgetContents>;

const USE: RowFormat<DocumentUse> = { version: 1, fields: USE_FIELDS };

/**
 * A budget as text: some 200 bytes, at most 5 KB for each limit, and 60 to 100 for each lease that is not settled.
 * @throws DtError `DT_STORE_UNAVAILABLE` when there is too much of it
 */
export function encodeBudget({ table, use }: BudgetDocument): string {
  const { row, leases } = table.state();
  const text = JSON.stringify({
    v: TAG,
    row: row && encodeBudgetRow(row),
    use: USE.fields.map(([field]) => use[field]),
    leases: leases.map(encodeLease),
  });
  if (text.length <= LONGEST_TEXT) return text;
  throw new DtError(
    "DT_STORE_UNAVAILABLE",
    `${leases.length} leases of this budget are not settled, more than one value of the store can hold; settle each lease when its call has ended, keep leases for a shorter time, or use a store that keeps them one by one, as Redis, PostgreSQL and SQLite do`,
  );
}

/**
 * Reads back what {@link encodeBudget} made.
 * @param where what holds it, for messages
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodeBudget(text: string, where: string): BudgetDocument {
  const { v: tag, row, use, leases } = parseStored(text, where, damagedBudget);
  if (tag !== TAG) throw damagedBudget(where, `format version ${String(tag)}`);
  if (!Array.isArray(leases)) throw damagedBudget(where, "no list of leases");
  const state = { row: decodeBudgetRow(row, where), leases: leases.map((lease) => decodeLease(lease, where)) };
  return Object.assign(budgetContents(state), { use: checkList(USE, use, where, damagedBudget) });
}
