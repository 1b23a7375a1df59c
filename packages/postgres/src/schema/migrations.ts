import { checkInteger } from "@dt/core/ledger";
import answer from "../sql/answer.sql";
import deregister from "../sql/deregister.sql";
import durability from "../sql/durability.sql";
import inspect from "../sql/inspect.sql";
import ledger from "../sql/ledger.sql";
import permitKey from "../sql/permits/key.sql";
import release from "../sql/permits/release.sql";
import reserve from "../sql/permits/reserve.sql";
import permitTables from "../sql/permits/tables.sql";
import register from "../sql/register.sql";
import removal from "../sql/removal.sql";
import sync from "../sql/sync.sql";
import tables from "../sql/tables.sql";
import version from "../sql/version.sql";
import { quotedSchema } from "./identifier.ts";

/** The schema's versions, each the step from the one before. A released step never changes. */
const MIGRATIONS: readonly string[] = [
  [tables, ledger, removal, answer, durability, register, sync, deregister, inspect].join("\n"),
  [permitTables, permitKey, reserve, release].join("\n"),
];

/** The version of the schema that this package works with. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The statements that bring a schema that exists from one version to the newest. To be run as one transaction. @param schema quoted */
export function migrationFrom(current: number, schema: string): string {
  const steps = MIGRATIONS.slice(current).map(
    (step, i) => `INSERT INTO {schema}.dt_version (version) VALUES (${current + i + 1});\n${step}`,
  );
  return [version, ...steps].join("\n").replaceAll("{schema}", () => schema);
}

/**
 * The migration as one transaction, for administrators who run it themselves (`migrate: false`): creates the schema unless it is there, and
 * everything in it. Fails without effect where it has run before. Grant the rights that the README names afterwards.
 * @param schema the option of the same name. Default `"dt"`
 * @param from the version that is there already, as the error about an older schema says. Default 0: none
 * @throws DtError `DT_INVALID_OPTION`
 */
export function migrationSql(schema = "dt", from = 0): string {
  const quoted = quotedSchema(schema);
  checkInteger("from", from, 0, SCHEMA_VERSION);
  return `BEGIN;\nCREATE SCHEMA IF NOT EXISTS ${quoted};\n${migrationFrom(from, quoted)}\nCOMMIT;\n`;
}
