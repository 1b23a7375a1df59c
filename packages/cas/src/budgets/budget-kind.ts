import type { SpendAnswer, SpendRequest } from "@dt/core";
import { type BudgetRow, budgetAheadUntilMs, budgetMeansForMs, type MemoryBudgetTable, spend } from "@dt/core/ledger";
import type { DocumentKind } from "../timed-document/document-kind.ts";
import { type BudgetContents, budgetContents, decodeBudget, encodeBudget } from "./budget-document.ts";

/** A budget is kept for so many milliseconds longer than it means something: its time may be behind the true one. */
const KEEP_MS = 60_000;

const NEW: BudgetRow = { lastMs: 0, offsetMs: 0, pausedUntilMs: 0, limits: [] };

/** A budget as a document. Something lies ahead until its pause is over and its windows are empty. */
export const BUDGET_KIND: DocumentKind<BudgetContents, SpendRequest, SpendAnswer> = {
  what: "the budget",
  staysAhead: false,
  encode: encodeBudget,
  decode: decodeBudget,
  begin: () => budgetContents(),
  isUse: () => true,
  isStored: ({ stored }) => stored === true,
  copiedFrom: ({ table }) => table.row()?.stored?.revision,
  apply: (contents, request, nowMs, limit) => {
    contents.limit = limit;
    return spend(contents.table, request, nowMs);
  },
  reset: ({ table }, nowMs) => {
    table.forget();
    table.putRow({ ...NEW, lastMs: nowMs });
  },
  renew: ({ table }, nowMs) => table.putRow({ ...rowOf(table), lastMs: nowMs }),
  lastMs: ({ table }) => rowOf(table).lastMs,
  aheadUntilMs: ({ table }) => budgetAheadUntilMs(rowOf(table)),
  meansForMs: ({ table }) => {
    const row = rowOf(table);
    const leasesMs = table.state().leases.map(({ forgetAtMs }) => forgetAtMs - row.lastMs);
    return leasesMs.reduce((longest, ms) => Math.max(longest, ms), budgetMeansForMs(row)) + KEEP_MS;
  },
};

function rowOf(table: MemoryBudgetTable): BudgetRow {
  return table.row() ?? NEW;
}
