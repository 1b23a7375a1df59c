import { DtError, type Runtime } from "@dt/core";
import { withDeadline } from "@dt/core/ledger";
import { isMigrationClash, isMissingSchema } from "../errors/sql-state.ts";
import type { Gate } from "../pool/gate.ts";
import { number, optionalNumber, rowOf } from "../reply/field.ts";
import { literal } from "../statement/literal.ts";
import { migrationFrom, SCHEMA_VERSION } from "./migrations.ts";
import { factsStatement, parseFacts, refuseUnsuitable } from "./server-facts.ts";

/** How a schema is brought up to date. */
export interface SchemaUse {
  /** Quoted. */
  readonly schema: string;
  readonly migrate: boolean;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
}

/**
 * Of processes that race, one wins each round. Whoever still loses after this many is kept from it by something else.
 */
const MOST_ROUNDS = 5;

/**
 * Looks at the server once, before the first statement: whether it can serve, and that the schema is there in the right
 * version.
 */
export class Schema {
  readonly #gate: Gate;
  readonly #use: SchemaUse;
  #prepared: Promise<void> | undefined;

  constructor(gate: Gate, use: SchemaUse) {
    this.#gate = gate;
    this.#use = use;
  }

  /** Quoted. */
  get name(): string {
    return this.#use.schema;
  }

  /**
   * Resolves when statements can be sent. Callers at the same time share one look; after a failure the next caller
   * looks again.
   * @throws DtError `DT_STORE_UNSUITABLE` with the remedy, `DT_STORE_TIMEOUT`, or what the driver throws
   */
  ready(): Promise<void> {
    if (this.#prepared) return this.#prepared;
    const { runtime, timeoutMs } = this.#use;
    const options = { runtime, timeoutMs, what: "postgres schema check" };
    const prepared = withDeadline((signal) => this.#prepare(signal), options);
    this.#prepared = prepared;
    prepared.catch(() => {
      if (this.#prepared === prepared) this.#prepared = undefined;
    });
    return prepared;
  }

  /** The schema turned out to be missing: the next {@link ready} looks again. */
  forget(): void {
    this.#prepared = undefined;
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    const { schema, migrate } = this.#use;
    for (let round = 1; ; round++) {
      const facts = parseFacts(await this.#gate.run(factsStatement(schema), signal));
      refuseUnsuitable(facts);
      const version = facts.hasVersionTable ? await this.#version(signal) : 0;
      if (version === SCHEMA_VERSION) return;
      if (version > SCHEMA_VERSION) return this.#acceptNewer(version, signal);
      if (!migrate)
        throw unsuitable(
          `schema ${schema} has version ${version} of the store's tables, and version ${SCHEMA_VERSION} is needed; run the text of ${version === 0 ? "migrationSql()" : `migrationSql(schema, ${version})`} as an administrator, or leave out migrate: false`,
        );
      const before = facts.hasSchema ? "" : `CREATE SCHEMA ${schema};\n`;
      try {
        // Without BEGIN and COMMIT: the server runs several statements in one message as one transaction, also behind a
        // pooler.
        await this.#gate.run(`${this.#lockTimeout()}\n${before}${migrationFrom(version, schema)}`, signal);
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

  async #version(signal: AbortSignal): Promise<number> {
    const { schema } = this.#use;
    try {
      const rows = await this.#gate.run(`SELECT coalesce(max(version), 0) FROM ${schema}.dt_version`, signal);
      return number(rowOf(rows, 1)[0]);
    } catch (error) {
      // Dropped since we looked.
      if (isMissingSchema(error)) return 0;
      throw error;
    }
  }

  /** A newer version says itself which processes it still works with, so that a fleet can be updated one by one. */
  async #acceptNewer(version: number, signal: AbortSignal): Promise<void> {
    const { schema } = this.#use;
    const text = `SELECT works_from FROM ${schema}.dt_version WHERE version = ${version}`;
    const worksFrom = optionalNumber(rowOf(await this.#gate.run(text, signal), 1)[0]);
    if (worksFrom !== null && worksFrom <= SCHEMA_VERSION) return;
    throw unsuitable(
      `schema ${schema} has version ${version}, made by a newer @dt/postgres; this one works with version ${SCHEMA_VERSION}. Update @dt/postgres in this process; in another schema it would have a limit of its own`,
    );
  }

  #lockTimeout(): string {
    return `SELECT set_config('lock_timeout', ${literal(Math.ceil(this.#use.timeoutMs))}, true);`;
  }
}

function unsuitable(message: string, cause?: unknown): DtError {
  return new DtError("DT_STORE_UNSUITABLE", message, { cause });
}
