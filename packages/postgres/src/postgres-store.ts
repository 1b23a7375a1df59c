import { Store } from "@dt/core/store";
import { postgresBackend } from "./backend.ts";
import type { PostgresStoreOptions } from "./options.ts";

/**
 * The ledgers in PostgreSQL, of shares and of permits: one statement per operation, on the server's clock. In addition
 * to what the contracts name, its methods throw `DT_STORE_UNSUITABLE` when the server cannot serve as a store
 * (read-only, too old, missing privileges, a newer schema), with the remedy. With the option `hints` hints come by
 * LISTEN / NOTIFY, on a connection of its own.
 */
export class PostgresStore extends Store {
  /**
   * Opens nothing yet: the first call connects, and creates what is missing in the schema.
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: PostgresStoreOptions) {
    super(postgresBackend(options));
  }
}

/**
 * A {@link PostgresStore}. @throws DtError `DT_INVALID_OPTION`
 * @param options the pool, or how to connect
 * @example const store = postgresStore({ connectionString: process.env.DATABASE_URL });
 */
export function postgresStore(options: PostgresStoreOptions): PostgresStore {
  return new PostgresStore(options);
}
