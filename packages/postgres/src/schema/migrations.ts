import answer from "../sql/answer.sql";
import deregister from "../sql/deregister.sql";
import durability from "../sql/durability.sql";
import inspect from "../sql/inspect.sql";
import ledger from "../sql/ledger.sql";
import register from "../sql/register.sql";
import removal from "../sql/removal.sql";
import sync from "../sql/sync.sql";
import tables from "../sql/tables.sql";
import version from "../sql/version.sql";
import { quotedSchema } from "./identifier.ts";

/** The schema's versions, each the step from the one before. A released step never changes. */
const MIGRATIONS: readonly string[] = [
  [tables, ledger, removal, answer, durability, register, sync, deregister, inspect].join("\n"),
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
 * The whole migration as one transaction, for administrators who run it themselves (`migrate: false`): creates the schema unless it is
 * there, and everything in it. Fails without effect where it has run before.
 * @param schema the option of the same name. Default `"dt"`
 * @throws DtError `DT_INVALID_OPTION`
 */
export function migrationSql(schema = "dt"): string {
  const quoted = quotedSchema(schema);
  return `BEGIN;\nCREATE SCHEMA IF NOT EXISTS ${quoted};\n${migrationFrom(0, quoted)}\nCOMMIT;\n`;
}
