export type { PostgresStoreOptions } from "./options.ts";
export type { PostgresAddress } from "./pool/address.ts";
export type { PostgresClient, PostgresPool, PostgresStatement } from "./pool/postgres-pool.ts";
export { PostgresStore, postgresStore } from "./postgres-store.ts";
export { migrationSql } from "./schema/migrations.ts";
