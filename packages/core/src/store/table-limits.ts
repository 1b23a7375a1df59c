import type { Backend } from "./backend.ts";
import type { LimitTable, TableDatabase } from "./table-database.ts";
import { begin } from "./transaction.ts";

type LimitOperations = Required<Pick<Backend, "readLimit" | "writeLimit">>;

/** The limit records of a database that runs JavaScript inside a transaction. */
export function tableLimits<Transaction>(
  database: Pick<TableDatabase<Transaction>, "transaction">,
  limitTable: (transaction: Transaction) => LimitTable,
): LimitOperations {
  return {
    readLimit: (target, call) =>
      database.transaction("read", (tx, nowMs) => ({ stored: limitTable(tx).limit(target), storeTimeMs: nowMs }), call),
    writeLimit: (target, from, row, call) =>
      database.transaction(
        "write",
        (tx) => {
          begin(call);
          const table = limitTable(tx);
          if (from !== null && (table.limit(target)?.revision ?? 0) !== from) return false;
          table.putLimit(target, row);
          return true;
        },
        call,
      ),
  };
}
