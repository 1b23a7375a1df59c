import { Store } from "@dt/core/store";
import { sqliteBackend } from "./backend.ts";
import type { SqliteStoreOptions } from "./options.ts";

/**
 * A store in one SQLite file, for shares and for permits, for processes on one machine. The first call opens the file.
 * Its clock is the machine's wall clock as SQLite reads it inside the transaction. All processes share that clock, also
 * across a restart of the machine. The ledger's group time absorbs its jumps.
 */
export class SqliteStore extends Store {
  /** @throws DtError `DT_INVALID_OPTION` */
  constructor(options: SqliteStoreOptions) {
    super(sqliteBackend(options));
  }
}

/**
 * A coordination store in one SQLite file; the same as `new SqliteStore(options)`.
 * @param options the file, or an open database
 * @example const store = sqliteStore({ path: "limits.db" });
 */
export function sqliteStore(options: SqliteStoreOptions): SqliteStore {
  return new SqliteStore(options);
}
