/**
 * An error that the server (or a pooler in its name) sent, as against one of the driver or the network: it has a
 * severity and a SQLSTATE.
 */
interface ServerError extends Error {
  readonly code: string;
}

export function isServerError(error: unknown): error is ServerError {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof severity === "string" && typeof code === "string";
}

/**
 * The five characters that say what went wrong (PostgreSQL, Appendix A); undefined when the error does not come from
 * the server.
 */
export function sqlState(error: unknown): string | undefined {
  return isServerError(error) ? error.code : undefined;
}

/**
 * invalid_schema_name, undefined_table, undefined_function, undefined_object: nothing ran, because our objects are not
 * there.
 */
const missing: ReadonlySet<string | undefined> = new Set(["3F000", "42P01", "42883", "42704"]);

/** True when the store's tables or functions are not there: the server was set up anew, or never was. Nothing ran. */
export function isMissingSchema(error: unknown): boolean {
  return missing.has(sqlState(error));
}

/** True when the server has as many connections as it takes: too_many_connections. */
export function isTooManyClients(error: unknown): boolean {
  return sqlState(error) === "53300";
}

/**
 * unique_violation, duplicate_schema, duplicate_table, duplicate_function, duplicate_object, lock_not_available,
 * deadlock_detected.
 */
const clashes: ReadonlySet<string | undefined> = new Set([
  "23505",
  "42P06",
  "42P07",
  "42723",
  "42710",
  "55P03",
  "40P01",
]);

/** True when a migration failed because another one is under way, or was first. */
export function isMigrationClash(error: unknown): boolean {
  return clashes.has(sqlState(error));
}

/**
 * True when a statement was ended for taking too long: by the server (lock_not_available, query_canceled,
 * transaction_timeout), or by the pool's own `query_timeout`.
 */
export function wasTooSlow(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return error instanceof Error && /^Query read timeout/.test(error.message);
  return ["55P03", "57014", "25P04"].includes(state);
}

/**
 * True when the connection is good for further statements. Not after errors of the driver, of the network, of the
 * server as a whole (class 08, 57P, 58, XX), and not on a server that has become read-only: a new connection may lead
 * to the new primary.
 */
export function leavesConnectionUsable(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|57P|58|XX|25006)/.test(state);
}
