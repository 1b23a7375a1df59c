/**
 * Plain statements to PostgreSQL, reached in the ways of the store and with its deadlines. For our own packages, which
 * are released together with this one: what is here may change in any version, so nothing else should import it.
 */

export { sqlState } from "../errors.ts";
export type { PostgresAddress } from "../pool/address.ts";
export type { PostgresClient, PostgresPool, PostgresStatement } from "../pool/postgres-pool.ts";
export { literal } from "../statement/literal.ts";
export { type PostgresLinkOptions, PostgresQueries } from "./postgres-queries.ts";
