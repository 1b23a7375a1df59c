import { DtError } from "@dt/core";
import { boolean, number, rowOf, text } from "../reply/field.ts";
import { literal } from "../statement/literal.ts";

/** Shortest exact text of doubles by default, and everything else that is used, is there from 12 on. */
const OLDEST_VERSION = 120_000;

/** What decides whether a server can serve, and what is there already. */
export interface ServerFacts {
  readonly versionNumber: number;
  readonly version: string;
  readonly encoding: string;
  readonly isolation: string;
  readonly readOnly: boolean;
  readonly hasSchema: boolean;
  readonly hasFormat: boolean;
  /** There are tables of a checkout from before format 1. */
  readonly isBeforeFormat: boolean;
}

/** @param schema quoted */
export function factsStatement(schema: string): string {
  return `SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('server_encoding'),
    current_setting('transaction_isolation'), current_setting('transaction_read_only')::boolean,
    to_regnamespace(${literal(schema)}) IS NOT NULL, to_regclass(${literal(`${schema}.dt_format`)}) IS NOT NULL,
    to_regclass(${literal(`${schema}.dt_version`)}) IS NOT NULL`;
}

/** @throws DtError `DT_STORE_REPLY` */
export function parseFacts(reply: unknown): ServerFacts {
  const [versionNumber, version, encoding, isolation, readOnly, hasSchema, hasFormat, isBefore] = rowOf(reply, 8);
  return {
    versionNumber: number(versionNumber),
    version: text(version),
    encoding: text(encoding),
    isolation: text(isolation),
    readOnly: boolean(readOnly),
    hasSchema: boolean(hasSchema),
    hasFormat: boolean(hasFormat),
    isBeforeFormat: boolean(isBefore),
  };
}

/** @throws DtError `DT_STORE_UNSUITABLE` with the remedy */
export function refuseUnsuitable({ versionNumber, version, encoding, isolation, readOnly }: ServerFacts): void {
  if (versionNumber < OLDEST_VERSION)
    throw unsuitable(`the server is PostgreSQL ${version}; use ${OLDEST_VERSION / 10_000} or newer`);
  if (readOnly)
    throw unsuitable(
      "this server is read-only, as a standby is (or default_transaction_read_only is on); connect to the primary (the writer)",
    );
  if (encoding !== "UTF8")
    throw unsuitable(
      `the database's encoding is ${encoding}, which cannot hold every name; create one with ENCODING 'UTF8'`,
    );
  // Concurrent syncs of one group would fail with serialization errors; a single statement cannot choose its own
  // isolation.
  if (isolation !== "read committed")
    throw unsuitable(
      `transactions run as ${isolation}; set default_transaction_isolation to 'read committed' for this role (ALTER ROLE ... SET)`,
    );
}

function unsuitable(message: string): DtError {
  return new DtError("DT_STORE_UNSUITABLE", message);
}
