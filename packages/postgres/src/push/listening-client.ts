import { DtError } from "@dt/core";
import { acquire } from "../pool/acquire.ts";
import { statement } from "../pool/gate.ts";
import type { PostgresClient, PostgresPool } from "../pool/postgres-pool.ts";
import { number, rowOf, text } from "../reply/field.ts";
import { literal } from "../statement/literal.ts";

/** What a connection that listens tells. */
export interface ListeningEvents {
  /** By the name that was given to {@link ListeningClient.listen}. */
  readonly onNotification: (name: string) => void;
  /** The connection is of no more use. May be called more than once. */
  readonly onLost: () => void;
}

/** A connection of the pool's that listens and does nothing else. It never goes back to the pool. */
export class ListeningClient {
  readonly #client: PostgresClient;
  readonly #schema: string;
  /** Names by the channels that they are. */
  readonly #names = new Map<string, string>();
  #ended = false;

  private constructor(client: PostgresClient, schema: string, { onNotification, onLost }: ListeningEvents) {
    this.#client = client;
    this.#schema = schema;
    client.on("notification", (message) => {
      const name = this.#names.get((message as { readonly channel: string }).channel);
      if (name !== undefined) onNotification(name);
    });
    client.on("error", onLost);
    client.on("end", onLost);
    // Hints alone are no reason to keep a process running.
    client.unref?.();
  }

  /**
   * @param schema quoted
   * @throws DtError `DT_STORE_UNSUITABLE` when there is a pooler in between, or what the driver throws
   */
  static async open(
    pool: PostgresPool,
    schema: string,
    events: ListeningEvents,
    signal: AbortSignal,
  ): Promise<ListeningClient> {
    const client = new ListeningClient(await acquire(pool, signal), schema, events);
    const end = (): void => client.end();
    signal.addEventListener("abort", end, { once: true });
    try {
      await client.#refusePooler();
      signal.throwIfAborted();
      return client;
    } catch (error) {
      client.end();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** Channels are names made by `dt_channel`: letters, digits and _. */
  async listen(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const channels = await this.#channels(names);
    for (const [i, channel] of channels.entries()) this.#names.set(channel, names[i] as string);
    await this.#run(channels.map((channel) => `LISTEN ${channel}`).join("; "));
  }

  async unlisten(name: string): Promise<void> {
    const [channel] = [...this.#names].find(([, known]) => known === name) ?? [];
    if (channel === undefined) return;
    this.#names.delete(channel);
    await this.#run(`UNLISTEN ${channel}`);
  }

  /**
   * Rejects when the connection is dead, or the schema is not the one that it listens to any more: it was dropped, and
   * has another secret.
   */
  async ping(): Promise<void> {
    const [first] = this.#names;
    if (!first) return void (await this.#run("SELECT 1"));
    const [channel, name] = first;
    const [current] = await this.#channels([name]);
    if (current !== channel && this.#names.has(channel)) throw new Error("the schema was made anew");
  }

  /** Ends the connection. Its listeners stay: pg must not find nobody to tell of an error. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#client.release(true);
  }

  async #channels(names: readonly string[]): Promise<string[]> {
    const calls = names.map((name) => `${this.#schema}.dt_channel(${literal(name)})`);
    const { rows } = (await this.#run(`SELECT ${calls.join(", ")}`)) as { rows?: unknown };
    return rowOf(rows, names.length).map(text);
  }

  #run(sql: string): Promise<unknown> {
    return this.#client.query(statement(sql));
  }

  /**
   * Behind a pooler in transaction mode LISTEN succeeds, on a server connection that the next statement may not see
   * again. A pooler gives its clients process numbers of its own, and so can be told.
   */
  async #refusePooler(): Promise<void> {
    const { processID } = this.#client;
    if (typeof processID !== "number") return;
    const { rows } = (await this.#run("SELECT pg_backend_pid()")) as { rows?: unknown };
    if (number(rowOf(rows, 1)[0]) === processID) return;
    throw new DtError(
      "DT_STORE_UNSUITABLE",
      "push does not work through a pooler such as PgBouncer; give push: { connectionString } or push: { pool } that leads to the server itself",
    );
  }
}
