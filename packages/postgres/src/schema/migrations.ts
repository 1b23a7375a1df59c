import { checkInteger } from "@dt/core/ledger";
import answer from "../sql/answer.sql";
import channel from "../sql/channel.sql";
import create from "../sql/create.sql";
import damage from "../sql/damage.sql";
import demand from "../sql/demand.sql";
import deregister from "../sql/deregister.sql";
import durability from "../sql/durability.sql";
import freed from "../sql/freed.sql";
import inspect from "../sql/inspect.sql";
import ledger from "../sql/ledger.sql";
import permitCreate from "../sql/permits/create.sql";
import permitKey from "../sql/permits/key.sql";
import release from "../sql/permits/release.sql";
import reserve from "../sql/permits/reserve.sql";
import permitReset from "../sql/permits/reset.sql";
import permitTables from "../sql/permits/tables.sql";
import proven from "../sql/proven.sql";
import register from "../sql/register.sql";
import removal from "../sql/removal.sql";
import stepTo3 from "../sql/step-3.sql";
import stepTo4 from "../sql/step-4.sql";
import stepTo5 from "../sql/step-5.sql";
import stepTo6 from "../sql/step-6.sql";
import stepTo7 from "../sql/step-7.sql";
import stepTo8 from "../sql/step-8.sql";
import sync from "../sql/sync.sql";
import tables from "../sql/tables.sql";
import version from "../sql/version.sql";
import { quotedSchema } from "./identifier.ts";

/** What each version of the schema changes about tables and types. A released step never changes. */
const STEPS: readonly string[] = [tables, permitTables, stepTo3, stepTo4, stepTo5, stepTo6, stepTo7, stepTo8];

/**
 * The functions, which every migration makes as they are now. A change of their text needs a new version, if only one
 * with an empty step.
 */
const FUNCTIONS = [
  ...[channel, freed, demand, ledger, damage, removal, answer, durability, proven, create],
  ...[register, sync, deregister, inspect],
  ...[permitKey, permitCreate, reserve, release, permitReset],
].join("\n");

/**
 * The oldest version whose processes work with this schema: they call functions with the parameters of their own
 * version, and read what they know of an answer. Those of versions 1 and 2 do not start with a newer one, but go on.
 */
const WORKS_FROM = 3;

/** The version of the schema that this package works with. */
export const SCHEMA_VERSION: number = STEPS.length;

/**
 * The statements that bring a schema that exists from one version to the newest. To be run as one transaction. @param
 * schema quoted
 */
export function migrationFrom(current: number, schema: string): string {
  if (current === SCHEMA_VERSION) return "";
  const steps = STEPS.slice(current).map((step, i) => {
    const row = `(${current + i + 1}, ${WORKS_FROM})`;
    return `INSERT INTO {schema}.dt_version (version, works_from) VALUES ${row};\n${step}`;
  });
  return [version, ...steps, FUNCTIONS].join("\n").replaceAll("{schema}", () => schema);
}

/**
 * The migration as one transaction, for administrators who run it themselves (`migrate: false`): creates the schema
 * unless it is there, and everything in it. Fails without effect where it has run before. Grant the rights that the
 * README names afterwards.
 * @param schema the option of the same name. Default `"dt"`
 * @param from the version that is there already, as the error about an older schema says. Default 0: none
 * @throws DtError `DT_INVALID_OPTION`
 */
export function migrationSql(schema = "dt", from = 0): string {
  const quoted = quotedSchema(schema);
  checkInteger("from", from, 0, SCHEMA_VERSION);
  return `BEGIN;\nCREATE SCHEMA IF NOT EXISTS ${quoted};\n${migrationFrom(from, quoted)}\nCOMMIT;\n`;
}
