import { DtError, type DtErrorCode, type Effect } from "@dt/core";
import { packageName } from "@dt/core/internal";
import { damagedBudget, damagedLimit, damagedPermits } from "@dt/core/ledger";
import type { Call } from "@dt/core/store";

interface Rule {
  /** A SQLSTATE, or the first characters of several. */
  readonly state: string;
  readonly code: DtErrorCode;
  /** `definite`: the server rolled the statement back before it said so. */
  readonly effect: Effect;
  readonly remedy?: string;
}

const unavailable = (state: string, effect: Effect, remedy?: string): Rule => ({
  state,
  code: "DT_STORE_UNAVAILABLE",
  effect,
  ...(remedy === undefined ? {} : { remedy }),
});

const unsuitable = (state: string, remedy: string): Rule => ({
  state,
  code: "DT_STORE_UNSUITABLE",
  effect: "definite",
  remedy,
});

/** The first rule that matches counts. */
const rules: readonly Rule[] = [
  unsuitable("25006", "this server is read-only, as a standby is; connect to the primary (the writer)"),
  unsuitable("42501", `the role lacks a privilege; the README of ${packageName("postgres")} has the GRANT statements`),
  unsuitable("28", "check the user name, the password and pg_hba.conf"),
  unsuitable("3D000", "create the database, or name another one"),
  unavailable(
    "53300",
    "definite",
    "raise max_connections, give pools fewer connections, or put a PgBouncer in between",
  ),
  unavailable("57P03", "definite", "the server is starting up or shutting down; this passes by itself"),
  unavailable("40001", "definite", "set default_transaction_isolation to 'read committed' for this role"),
  {
    state: "23514",
    code: "DT_STORE_DATA",
    effect: "definite",
    remedy:
      "a row was changed by another program, or is damaged; repair the group with `dt repair <store> throttle <name>`, or make it anew with --reset",
  },
  {
    state: "55P03",
    code: "DT_STORE_TIMEOUT",
    effect: "definite",
    remedy: "the group, key or budget was locked by others for most of the deadline",
  },
  {
    state: "57014",
    code: "DT_STORE_TIMEOUT",
    effect: "definite",
    remedy: "statement_timeout or an operator ended it",
  },
  // The connection broke, the server is going down or something broke inside it: it may have committed before.
  ...["08", "57P", "58", "XX"].map((state) => unavailable(state, "unknown")),
  // Everything else is about the statement, which was rolled back.
  unavailable("", "definite"),
];

/** What `pg` itself finds while it connects, and no waiting mends. */
const refusedByDriver: readonly (readonly [pattern: RegExp, remedy: string])[] = [
  [/^SASL: .*password must be/, "the server asks for a password: give one"],
  [/does not support SSL/, "leave sslmode out, or turn on SSL at the server"],
];

/**
 * Raised by `dt_permit_check` and by the checks of a budget: the message is what holds the row, a bar, and what is
 * there instead. DT004 is raised where a limit record is damaged: the message is what it holds, and a bar.
 */
const damages: Readonly<Record<string, (where: string, fault: string) => DtError>> = {
  DT002: damagedPermits,
  DT003: damagedBudget,
  DT004: damagedLimit,
};

/**
 * What `pg` threw, as the error of this package: errors of the server by their SQLSTATE, everything else as a lost
 * connection.
 */
export function driverError(error: unknown, { what, sent }: Pick<Call, "what" | "sent">): DtError {
  const message = messageOf(error);
  const state = sqlState(error);
  const damaged = state === undefined ? undefined : damages[state];
  if (damaged) {
    // What holds it has a name in it, which may have a bar too.
    const bar = message.lastIndexOf("|");
    return damaged(message.slice(0, bar), message.slice(bar + 1));
  }
  const rule = state === undefined ? undefined : rules.find((candidate) => state.startsWith(candidate.state));
  if (rule) {
    const remedy = rule.remedy === undefined ? "" : `; ${rule.remedy}`;
    return new DtError(rule.code, `${what} failed: ${message} (SQLSTATE ${state})${remedy}`, {
      effect: sent ? rule.effect : "definite",
      cause: error,
    });
  }
  if (/^Query read timeout/.test(message)) {
    return new DtError("DT_STORE_TIMEOUT", `${what} was given up by the pool's own query_timeout`, {
      effect: "unknown",
      cause: error,
    });
  }
  const refusal = refusedByDriver.find(([pattern]) => pattern.test(message));
  if (refusal) return new DtError("DT_STORE_UNSUITABLE", `${what} failed: ${message}; ${refusal[1]}`, { cause: error });
  return new DtError("DT_STORE_UNAVAILABLE", `${what} failed: ${message}`, {
    effect: sent ? "unknown" : "definite",
    cause: error,
  });
}

/**
 * The error of a call that was not sent by its deadline. As far as is known nothing is wrong: many connect at once, or
 * the network is silent.
 */
export function notSent({ what }: Pick<Call, "what">, cause: DtError): DtError {
  const problem = "no connection was free, or the server did not answer, within the deadline";
  return new DtError("DT_STORE_TIMEOUT", `${what} failed: ${problem}`, { cause, effect: "definite" });
}

/** The error's message; of several tries to connect (an `AggregateError` without one) the first one's. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

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
 * The five characters that name the error (PostgreSQL, Appendix A); undefined when the error does not come from the
 * server.
 * @param error what the driver threw
 * @example if (sqlState(error) === "57014") retry();
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
