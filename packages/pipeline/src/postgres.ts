export { type PostgresTableOptions, postgresTable } from "./sinks/postgres-table.ts";
