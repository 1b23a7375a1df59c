import { DtError } from "@dt/core";
import { invalidOption } from "@dt/core/ledger";
import type { PostgresPool } from "./postgres-pool.ts";

/** One way to reach PostgreSQL: a pool of yours, or an address. */
export interface PostgresAddress {
  /** A `Pool` of `pg`, which stays yours: the store neither changes nor ends it. */
  readonly pool?: PostgresPool;
  /** `postgres://[user[:password]@]host[:port]/database[?sslmode=...]`; the store makes a pool of its own. */
  readonly connectionString?: string;
}

/**
 * Refuses names that other drivers have, with the remedy: options of TLS belong elsewhere, and the password would go in
 * clear without them; an address has another name here.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function refuseForeignNames(options: object, prefix = ""): void {
  for (const name of ["ssl", "tls"])
    if (name in options)
      throw new DtError(
        "DT_INVALID_OPTION",
        `${prefix}${name}: there is no such option; for TLS give a connectionString that ends in ?sslmode=verify-full (and &sslrootcert=/path/of/ca.pem), or a pool: new Pool({ connectionString, ssl })`,
      );
  for (const name of ["url", "uri"])
    if (name in options)
      throw new DtError(
        "DT_INVALID_OPTION",
        `${prefix}${name}: there is no such option; did you mean ${prefix}connectionString?`,
      );
}

/**
 * Exactly one way, well-formed.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function checkAddress(prefix: string, { pool, connectionString }: PostgresAddress): PostgresAddress {
  if (pool === undefined && connectionString === undefined)
    throw new DtError(
      "DT_INVALID_OPTION",
      `neither ${prefix}connectionString nor ${prefix}pool is given; give one of them`,
    );
  if (pool !== undefined && connectionString !== undefined)
    throw invalidOption(`${prefix}pool`, pool, `give either it or ${prefix}connectionString`);
  if (pool !== undefined) {
    if (typeof pool !== "object" || pool === null || typeof pool.connect !== "function")
      throw invalidOption(`${prefix}pool`, pool, "give a Pool of pg");
    return { pool };
  }
  const remedy = "give postgres://[user[:password]@]host[:port]/database";
  if (typeof connectionString !== "string") throw invalidOption(`${prefix}connectionString`, connectionString, remedy);
  if (!isAddress(connectionString))
    throw new DtError(
      "DT_INVALID_OPTION",
      `${prefix}connectionString is no address (not shown, since it may hold a password); ${remedy}`,
    );
  return { connectionString };
}

/** Hosts of sockets (`postgres:///app?host=/run/postgresql`) are no URLs with a host, but URLs all the same. */
function isAddress(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(text);
}
