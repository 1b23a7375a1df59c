import { DtError, isDtError, systemRuntime } from "@dt/core";
import { invalidOption, packageName } from "@dt/core/internal";
import { literal, type PostgresLinkOptions, PostgresQueries, sqlState } from "@dt/postgres/queries";
import type { Ending } from "../ending.ts";
import { BATCH_OPTIONS, Batches, type BatchOptions, checkBatch } from "./batches.ts";
import { jsonOf } from "./letter.ts";
import type { Sink } from "./sink.ts";
import createTable from "./table.sql";

/**
 * Options of {@link postgresTable}. PostgreSQL is reached as by `postgresStore` of `@dt/postgres`: exactly one of
 * `pool` and `connectionString`.
 */
export interface PostgresTableOptions extends PostgresLinkOptions, BatchOptions {
  /**
   * The table's name, such as `"later"` or `"app.later"`. It has the columns `kind` (text), `input` and `output`
   * (json), and `error` (text), and may have others.
   */
  readonly table: string;
  /**
   * Whether the table is made when it is not there.
   * @default false
   */
  readonly create?: boolean;
}

const OWN = ["table", "create", ...BATCH_OPTIONS] as const;

/**
 * A sink that adds a row to a table for each ending, a batch of them in one statement: all of it, or nothing. No
 * statement is sent twice: when an answer is lost the sink fails, and the batch may be in the table.
 * @param options the table, and how to connect
 * @throws DtError `DT_INVALID_OPTION`; its methods `DT_STORE_UNAVAILABLE`, `DT_STORE_TIMEOUT` (after `timeout`, 1 s by
 * default), `DT_STORE_UNSUITABLE`
 * @example const sink = postgresTable({ table: "failed", connectionString: process.env.DATABASE_URL });
 */
export function postgresTable<Input, Result>(options: PostgresTableOptions): Sink<Input, Result> {
  const { table, create = false, batch, linger, ...link } = options;
  const name = quotedTable(table);
  if (typeof create !== "boolean") throw invalidOption("create", create, "give true or false");
  const settings = checkBatch({ ...(batch !== undefined && { batch }), ...(linger !== undefined && { linger }) });
  const queries = new PostgresQueries(link, OWN);
  const send = (rows: readonly string[]): Promise<void> =>
    run(queries, name, "insert", `INSERT INTO ${name} (kind, input, output, error) VALUES ${rows.join(", ")}`);
  const batches = new Batches({ ...settings, send, runtime: link.runtime ?? systemRuntime });
  return new PostgresTable(queries, name, create, batches);
}

class PostgresTable<Input, Result> implements Sink<Input, Result> {
  readonly #queries: PostgresQueries;
  readonly #name: string;
  readonly #create: boolean;
  readonly #batches: Batches<string>;

  constructor(queries: PostgresQueries, name: string, create: boolean, batches: Batches<string>) {
    this.#queries = queries;
    this.#name = name;
    this.#create = create;
    this.#batches = batches;
  }

  /** Makes the table if that is asked for, and sees whether it has the columns. */
  async open(): Promise<void> {
    const name = this.#name;
    const look = `SELECT kind, input, output, error FROM ${name} LIMIT 0`;
    const create = createTable.replace("$table", () => name);
    if (this.#create && !(await isThere(this.#queries, look))) await createOnce(this.#queries, name, create);
    await run(this.#queries, name, "look", look);
  }

  async write(ending: Ending<Input, Result>): Promise<void> {
    const [output, error] =
      ending.kind === "success" ? [jsonOf(ending.output, ending), null] : [null, withoutNul(ending.error)];
    const values = [ending.kind, jsonOf(ending.input, ending), output, error].map(literal);
    const row = `(${values[0]}, ${values[1]}::json, ${values[2]}::json, ${values[3]})`;
    await this.#batches.add(row, row.length);
  }

  flush(): Promise<void> {
    return this.#batches.flush();
  }

  async close(): Promise<void> {
    try {
      await this.#batches.close();
    } finally {
      await this.#queries.close();
    }
  }
}

/** PostgreSQL's text cannot hold it. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

const UNDEFINED_TABLE = "42P01";
/**
 * What two processes that make the same table at once may hear, although it is there then: unique_violation,
 * duplicate_table, duplicate_object.
 */
const CLASHES: readonly (string | undefined)[] = ["23505", "42P07", "42710"];

/** Looked at first: a user who may not create anything can use a table that is there. */
async function isThere(queries: PostgresQueries, look: string): Promise<boolean> {
  try {
    await queries.run("look", look);
    return true;
  } catch (error) {
    if (stateOf(error) === UNDEFINED_TABLE) return false;
    throw error;
  }
}

async function createOnce(queries: PostgresQueries, name: string, text: string): Promise<void> {
  try {
    await queries.run("create", text);
  } catch (error) {
    if (!CLASHES.includes(stateOf(error))) throw withRemedy(error, name, "create");
  }
}

async function run(queries: PostgresQueries, name: string, what: string, text: string): Promise<void> {
  try {
    await queries.run(what, text);
  } catch (error) {
    throw withRemedy(error, name, what);
  }
}

function stateOf(error: unknown): string | undefined {
  return isDtError(error) ? sqlState(error.cause) : undefined;
}

/**
 * The same error where nothing better is known; what the store's errors advise for its own tables is said for this one.
 */
function withRemedy(error: unknown, name: string, what: string): unknown {
  const state = stateOf(error);
  const remedy = state === undefined ? undefined : remedyFor(state, name);
  if (!isDtError(error) || remedy === undefined) return error;
  const message = `postgres ${what} failed: ${(error.cause as Error).message} (SQLSTATE ${state}); ${remedy}`;
  return new DtError("DT_STORE_UNSUITABLE", message, { cause: error });
}

function remedyFor(state: string, name: string): string | undefined {
  if (state === UNDEFINED_TABLE)
    return `give the sink create: true, or make the table; ${packageName("pipeline")}'s page has the SQL`;
  if (state === "3F000") return "make the schema first";
  if (state === "42703") return `${name} needs the columns kind and error (text), input and output (json)`;
  if (state === "42501")
    return `the role needs INSERT and SELECT on ${name}, and CREATE on its schema for create: true`;
  if (state.startsWith("22") || state.startsWith("23")) return `a constraint or a type of ${name} refuses it`;
  return undefined;
}

/** PostgreSQL cuts longer names off. */
const LONGEST = 63;

/**
 * A table's name, with or without its schema, each quoted.
 * @throws DtError `DT_INVALID_OPTION`
 */
function quotedTable(value: unknown): string {
  const parts = typeof value === "string" ? value.split(".") : [];
  const isName = (part: string): boolean => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(part) && part.length <= LONGEST;
  if (parts.length < 1 || parts.length > 2 || !parts.every(isName)) {
    const remedy = `give a name such as "later" or "app.later": 1 to ${LONGEST} letters (ASCII), digits, _ and -, beginning with a letter or _`;
    throw invalidOption("table", value, remedy);
  }
  return parts.map((part) => `"${part}"`).join(".");
}
