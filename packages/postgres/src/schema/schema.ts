import { DtError, isDtError, type Runtime } from "@dt/core";
import { packageName } from "@dt/core/internal";
import { withDeadline } from "@dt/core/ledger";
import { isMigrationClash, isMissingSchema, wasTooSlow } from "../errors.ts";
import type { Gate } from "../pool/gate.ts";
import { number, rowOf } from "../reply/field.ts";
import { literal } from "../statement/literal.ts";
import { FORMAT, type Format, migrationFrom, versionOf } from "./migrations.ts";
import { factsStatement, parseFacts, refuseUnsuitable } from "./server-facts.ts";

/** How a schema is brought up to date. */
export interface SchemaSettings {
  /** Quoted. */
  readonly schema: string;
  readonly migrate: boolean;
  /** Deadline of a look at the schema. */
  readonly timeoutMs: number;
  /** Deadline of making the schema, or bringing it up to date. */
  readonly setupTimeoutMs: number;
  readonly runtime: Runtime;
}

/** What is there: the version of the tables, 0 without any. */
interface Found {
  readonly version: number;
  readonly hasSchema: boolean;
}

/**
 * Of processes that race, one wins each round. One that still loses after this many is kept from it by something else.
 */
const MOST_ROUNDS = 5;

/**
 * Looks at the server once, before the first statement: whether it can serve, and that the schema is there in the right
 * version. To make it is work done once, and has a deadline of its own: on a small or busy server it takes longer than
 * any call may.
 */
export class Schema {
  readonly #gate: Gate;
  readonly #settings: SchemaSettings;
  readonly #format: Format;
  #look: Promise<boolean> | undefined;
  #making: Promise<void> | undefined;

  constructor(gate: Gate, settings: SchemaSettings, format: Format = FORMAT) {
    this.#gate = gate;
    this.#settings = settings;
    this.#format = format;
  }

  /** Quoted. */
  get name(): string {
    return this.#settings.schema;
  }

  /**
   * True when statements can be sent, false when {@link make} comes first. Callers at the same time share one look;
   * after a failure the next caller looks again.
   * @throws DtError `DT_STORE_UNSUITABLE` with the remedy, `DT_STORE_TIMEOUT`, or what the driver throws
   */
  isReady(): Promise<boolean> {
    if (this.#look) return this.#look;
    const { runtime, timeoutMs } = this.#settings;
    const options = { runtime, timeoutMs, what: "postgres schema check" };
    const look = withDeadline(async (signal) => this.#suits(await this.#find(signal), signal), options);
    this.#look = look;
    const again = (): void => {
      if (this.#look === look) this.#look = undefined;
    };
    look.then((ready) => ready || again(), again);
    return look;
  }

  /**
   * Makes the schema, or brings it up to date. Callers at the same time share the work, which goes on when they have
   * given up; other processes that do the same are waited for.
   * @throws DtError `DT_STORE_TIMEOUT` with the remedy, `DT_STORE_UNSUITABLE`, or what the driver throws
   */
  make(): Promise<void> {
    const { runtime, setupTimeoutMs: timeoutMs } = this.#settings;
    const untilMs = runtime.now() + timeoutMs;
    const options = { runtime, timeoutMs, what: "postgres schema set-up" };
    this.#making ??= withDeadline((signal) => this.#migrate(signal, untilMs), options)
      .then(
        () => {
          this.#look = Promise.resolve(true);
        },
        (error: unknown) => {
          throw isDtError(error, "DT_STORE_TIMEOUT") || wasTooSlow(error) ? this.#notInTime(error) : error;
        },
      )
      .finally(() => {
        this.#making = undefined;
      });
    return this.#making;
  }

  /** The schema turned out to be missing: {@link isReady} looks again. */
  forget(): void {
    this.#look = undefined;
  }

  async #migrate(signal: AbortSignal, untilMs: number): Promise<void> {
    const { schema, runtime } = this.#settings;
    for (let round = 1; ; round++) {
      const found = await this.#find(signal);
      if (await this.#suits(found, signal)) return;
      const before = found.hasSchema ? "" : `CREATE SCHEMA ${schema};\n`;
      const timeoutMs = Math.max(1, Math.ceil(untilMs - runtime.now()));
      try {
        // Without BEGIN and COMMIT: the server runs several statements in one message as one transaction, also behind a
        // pooler.
        const text = `${patienceStatement(timeoutMs)}\n${before}${migrationFrom(found.version, schema, this.#format)}`;
        await this.#gate.run(text, signal, { timeoutMs });
        return;
      } catch (error) {
        if (!isMigrationClash(error)) throw error;
        if (round === MOST_ROUNDS)
          throw unsuitable(
            `schema ${schema} holds objects that are not this store's (${String(error)}); give another schema`,
            error,
          );
      }
    }
  }

  async #find(signal: AbortSignal): Promise<Found> {
    const facts = parseFacts(await this.#gate.run(factsStatement(this.#settings.schema), signal));
    refuseUnsuitable(facts);
    if (facts.isBeforeFormat) throw beforeFormat(this.#settings.schema);
    const version = facts.hasFormat ? await this.#version(signal) : 0;
    return { version, hasSchema: facts.hasSchema };
  }

  /** False where a migration is needed. @throws DtError where this process cannot work with it */
  async #suits({ version }: Found, signal: AbortSignal): Promise<boolean> {
    const { schema, migrate } = this.#settings;
    const newest = versionOf(this.#format);
    if (version > newest) await this.#acceptNewer(version, signal);
    if (version >= newest) return true;
    if (migrate) return false;
    if (version === 0)
      throw unsuitable(
        `schema ${schema} of the database has no tables of the store, and they may not be made here (migrate: false); leave that out, or run the text of migrationSql() as an administrator`,
      );
    throw unsuitable(
      `schema ${schema} has version ${version} of the store's tables, and version ${newest} is needed; it may not be brought up to date here (migrate: false): leave that out, or run the text of migrationSql(schema, ${version}) as an administrator`,
    );
  }

  async #version(signal: AbortSignal): Promise<number> {
    const { schema } = this.#settings;
    try {
      const rows = await this.#gate.run(`SELECT coalesce(max(version), 0) FROM ${schema}.dt_format`, signal);
      return number(rowOf(rows, 1)[0]);
    } catch (error) {
      // Dropped since we looked.
      if (isMissingSchema(error)) return 0;
      throw error;
    }
  }

  /** A newer version says itself which processes it still works with, so that a fleet can be updated one by one. */
  async #acceptNewer(version: number, signal: AbortSignal): Promise<void> {
    const { schema } = this.#settings;
    const text = `SELECT works_from FROM ${schema}.dt_format WHERE version = ${version}`;
    const mine = versionOf(this.#format);
    if (number(rowOf(await this.#gate.run(text, signal), 1)[0]) <= mine) return;
    throw unsuitable(
      `schema ${schema} has version ${version}, made by a newer ${packageName("postgres")}; this one works with version ${mine}. Update ${packageName("postgres")} in this process; in another schema it would have a limit of its own`,
    );
  }

  #notInTime(cause: unknown): DtError {
    const { schema, setupTimeoutMs } = this.#settings;
    const problem = `the tables in schema ${schema} were not made within ${setupTimeoutMs} ms (option setupTimeout)`;
    const remedy = "raise it, or run the text of migrationSql() as an administrator and give migrate: false";
    return new DtError("DT_STORE_TIMEOUT", `${problem}; ${remedy}`, { cause, effect: "definite" });
  }
}

/** Their rows mean something else, and nothing was released that made them. */
function beforeFormat(schema: string): DtError {
  return unsuitable(
    `schema ${schema} has tables of ${packageName("postgres")} from before format 1, which this version does not read; end the processes that use it and drop the schema (DROP SCHEMA ${schema} CASCADE), or give another schema`,
  );
}

function unsuitable(message: string, cause?: unknown): DtError {
  return new DtError("DT_STORE_UNSUITABLE", message, { cause });
}

/**
 * Limits that servers, databases and roles may set for ordinary statements. `transaction_timeout` is there from
 * PostgreSQL 17 on.
 */
const LIMITS = ["lock_timeout", "statement_timeout", "transaction_timeout"];

/** For the rest of the transaction, these limits are this many milliseconds. */
function patienceStatement(ms: number): string {
  const names = LIMITS.map((name) => literal(name)).join(", ");
  return `SELECT set_config(name, ${literal(Math.min(ms, 2 ** 31 - 1))}, true) FROM pg_settings WHERE name IN (${names});`;
}
