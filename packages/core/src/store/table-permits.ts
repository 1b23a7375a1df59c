import { isDtError } from "../errors/dt-error.ts";
import { inspectPermits } from "../permits/inspect-permits.ts";
import { releasePermits, reservePermits, resetPermits } from "../permits/permits.ts";
import type { Backend } from "./backend.ts";
import type { Answer, Call } from "./call.ts";
import type { KeyTable, TableDatabase } from "./table-database.ts";
import { afterwards, begin } from "./transaction.ts";

type PermitOperations = Required<Pick<Backend, "reserve" | "release" | "resetPermits" | "inspectPermits">>;

/** The permits of a database that runs JavaScript inside a transaction. */
export function tablePermits<Transaction>(
  database: Pick<TableDatabase<Transaction>, "transaction" | "changed">,
  keyTable: (transaction: Transaction, key: string, nowMs: number) => KeyTable,
): PermitOperations {
  const change = <T>(key: string, operation: (table: KeyTable, nowMs: number) => T, call: Call): Answer<T> =>
    database.transaction(
      "write",
      (transaction, nowMs) => {
        begin(call);
        return operation(keyTable(transaction, key, nowMs), nowMs);
      },
      call,
    );
  const tell = (key: string, freed: Answer<boolean>): Answer<void> =>
    afterwards(freed, (any) => {
      if (any) database.changed?.({ kind: "permits", name: key });
    });
  return {
    reserve: (key, request, call) => change(key, (table, nowMs) => reservePermits(table, request, nowMs), call),
    release: (key, given, call) => {
      const release = (table: KeyTable, nowMs: number): boolean => {
        const freed = releasePermits(table, given, nowMs);
        if (freed) table.noteRelease?.();
        return freed;
      };
      return tell(key, change(key, release, call));
    },
    resetPermits: (key, call) => tell(key, change(key, resetKey, call)),
    inspectPermits: (key, call) =>
      database.transaction("read", (tx, nowMs) => inspectPermits(keyTable(tx, key, nowMs), key, nowMs), call),
  };
}

/** A key whose rows are damaged is forgotten whole (P12). */
function resetKey(table: KeyTable, nowMs: number): true {
  try {
    resetPermits(table, nowMs);
    table.noteRelease?.();
  } catch (error) {
    if (!table.forgetKey || !isDtError(error, "DT_STORE_DATA")) throw error;
    table.forgetKey();
  }
  return true;
}
