import { checkInteger, invalidOption } from "@dt/core/ledger";
import answer from "../sql/answer.sql";
import bucket from "../sql/buckets/bucket.sql";
import bucketLimit from "../sql/buckets/limit.sql";
import bucketReset from "../sql/buckets/reset.sql";
import serve from "../sql/buckets/serve.sql";
import sweep from "../sql/buckets/sweep.sql";
import bucketTables from "../sql/buckets/tables.sql";
import take from "../sql/buckets/take.sql";
import bucketUnits from "../sql/buckets/units.sql";
import budget from "../sql/budgets/budget.sql";
import budgetCreate from "../sql/budgets/create.sql";
import budgetDeclare from "../sql/budgets/declare.sql";
import budgetLearning from "../sql/budgets/learning.sql";
import budgetReserve from "../sql/budgets/reserve.sql";
import budgetReset from "../sql/budgets/reset.sql";
import budgetSettle from "../sql/budgets/settle.sql";
import spend from "../sql/budgets/spend.sql";
import budgetStoredLimit from "../sql/budgets/stored-limit.sql";
import budgetTables from "../sql/budgets/tables.sql";
import budgetWindow from "../sql/budgets/window.sql";
import channel from "../sql/channel.sql";
import create from "../sql/create.sql";
import damage from "../sql/damage.sql";
import demand from "../sql/demand.sql";
import deregister from "../sql/deregister.sql";
import durability from "../sql/durability.sql";
import freed from "../sql/freed.sql";
import inspect from "../sql/inspect.sql";
import ledger from "../sql/ledger.sql";
import limitHead from "../sql/limits/head.sql";
import limitTables from "../sql/limits/tables.sql";
import limitWrite from "../sql/limits/write.sql";
import permitCreate from "../sql/permits/create.sql";
import permitKey from "../sql/permits/key.sql";
import release from "../sql/permits/release.sql";
import reserve from "../sql/permits/reserve.sql";
import permitReset from "../sql/permits/reset.sql";
import permitStoredLimit from "../sql/permits/stored-limit.sql";
import permitTables from "../sql/permits/tables.sql";
import proven from "../sql/proven.sql";
import register from "../sql/register.sql";
import removal from "../sql/removal.sql";
import slots from "../sql/slots.sql";
import storedLimit from "../sql/stored-limit.sql";
import sync from "../sql/sync.sql";
import tables from "../sql/tables.sql";

/** What a schema holds, and how one of an older version gets there. SQL with `{schema}` for the quoted name. */
export interface Format {
  /** The tables and types as they are now, for a schema that has none. */
  readonly tables: string;
  /**
   * What each version after the first changes about tables and types that are there, the change to version 2 first. A
   * released step never changes.
   */
  readonly steps: readonly string[];
  /**
   * The functions, which every migration makes as they are now. A change of their text needs a new version, if only one
   * with an empty step.
   */
  readonly functions: string;
  /**
   * The oldest version whose processes work with this schema: they call functions with the parameters of their own
   * version, and read what they know of an answer.
   */
  readonly worksFrom: number;
}

/** The format that this package works with. */
export const FORMAT: Format = {
  tables: [tables, permitTables, budgetTables, limitTables, bucketTables].join("\n"),
  steps: [],
  functions: [
    ...[
      limitHead,
      limitWrite,
      storedLimit,
      channel,
      freed,
      demand,
      ledger,
      slots,
      damage,
      removal,
      answer,
      durability,
      proven,
      create,
    ],
    ...[register, sync, deregister, inspect],
    ...[permitKey, permitStoredLimit, permitCreate, reserve, release, permitReset],
    ...[
      budget,
      budgetCreate,
      budgetDeclare,
      budgetWindow,
      budgetLearning,
      budgetSettle,
      budgetReserve,
      budgetStoredLimit,
      spend,
      budgetReset,
    ],
    ...[bucket, bucketLimit, bucketUnits, serve, sweep, take, bucketReset],
  ].join("\n"),
  worksFrom: 1,
};

export function versionOf({ steps }: Format): number {
  return 1 + steps.length;
}

/**
 * The statements that bring a schema that exists from one version to the format's, from 0 without any tables. To be run
 * as one transaction. Of several processes that migrate at the same time one creates the table of versions, or inserts
 * the first row; the others fail there, and see that it is done.
 * @param schema quoted
 */
export function migrationFrom(current: number, schema: string, format: Format = FORMAT): string {
  const newest = versionOf(format);
  if (current === newest) return "";
  const reach = (version: number): string =>
    `INSERT INTO {schema}.dt_format (version, works_from) VALUES (${version}, ${format.worksFrom});`;
  const changes =
    current === 0
      ? [format.tables, reach(newest)]
      : format.steps.slice(current - 1).flatMap((step, i) => [reach(current + i + 1), step]);
  return [...changes, format.functions].join("\n").replaceAll("{schema}", () => schema);
}

/**
 * The migration as one transaction, for administrators who run it themselves (`migrate: false`): creates the schema
 * unless it is there, and everything in it. Fails without effect where it has run before. Grant the rights that the
 * README names afterwards.
 * @param schema the option of the same name. Default `"dt"`
 * @param from the version that is there already, as the error about an older schema names it. Default 0: none
 * @throws DtError `DT_INVALID_OPTION`
 * @example console.log(migrationSql());
 */
export function migrationSql(schema = "dt", from = 0): string {
  const quoted = quotedSchema(schema);
  checkInteger("from", from, 0, versionOf(FORMAT));
  return `BEGIN;\nCREATE SCHEMA IF NOT EXISTS ${quoted};\n${migrationFrom(from, quoted)}\nCOMMIT;\n`;
}

/** PostgreSQL cuts longer identifiers off without an error worth the name: two schemas could become one. */
const LONGEST_IDENTIFIER = 63;

/**
 * The name of a schema, quoted. It also stands inside functions' bodies, so it may hold neither quotes nor dollar
 * signs.
 * @throws DtError `DT_INVALID_OPTION`
 */
export function quotedSchema(value: unknown): string {
  if (typeof value !== "string" || !/^[A-Za-z_][A-Za-z0-9_-]*$/.test(value) || value.length > LONGEST_IDENTIFIER)
    throw invalidOption(
      "schema",
      value,
      `give 1 to ${LONGEST_IDENTIFIER} letters (ASCII), digits, _ and -, beginning with a letter or _`,
    );
  if (/^pg_/i.test(value)) throw invalidOption("schema", value, "names that begin with pg_ belong to PostgreSQL");
  return `"${value}"`;
}
