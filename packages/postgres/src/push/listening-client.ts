import { DtError } from "@dt/core";
import { acquire } from "../pool/acquire.ts";
import { statement } from "../pool/gate.ts";
import type { PostgresClient, PostgresPool } from "../pool/postgres-pool.ts";
import { number, rowOf } from "../reply/field.ts";

/** What a connection that listens tells. */
export interface ListeningEvents {
  readonly onNotification: (channel: string) => void;
  /** The connection is of no more use. May be called more than once. */
  readonly onLost: () => void;
}

/** A connection of the pool's that listens and does nothing else. It never goes back to the pool. */
export class ListeningClient {
  readonly #client: PostgresClient;
  #ended = false;

  private constructor(client: PostgresClient, { onNotification, onLost }: ListeningEvents) {
    this.#client = client;
    client.on("notification", (message) => onNotification((message as { readonly channel: string }).channel));
    client.on("error", onLost);
    client.on("end", onLost);
    // Hints alone are no reason to keep a process running.
    client.unref?.();
  }

  /**
   * @throws DtError `DT_STORE_UNSUITABLE` when there is a pooler in between, or what the driver throws
   */
  static async open(pool: PostgresPool, events: ListeningEvents, signal: AbortSignal): Promise<ListeningClient> {
    const client = new ListeningClient(await acquire(pool, signal), events);
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

  /** Channels are names made by this package: letters, digits and _. */
  async listen(channels: readonly string[]): Promise<void> {
    if (channels.length > 0) await this.#run(channels.map((channel) => `LISTEN ${channel}`).join("; "));
  }

  async unlisten(channel: string): Promise<void> {
    await this.#run(`UNLISTEN ${channel}`);
  }

  async ping(): Promise<void> {
    await this.#run("SELECT 1");
  }

  /** Ends the connection. Its listeners stay: pg must not find nobody to tell of an error. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#client.release(true);
  }

  #run(text: string): Promise<unknown> {
    return this.#client.query(statement(text));
  }

  /**
   * Behind a pooler in transaction mode LISTEN succeeds, on a server connection that the next statement may not see again. A pooler gives
   * its clients process numbers of its own, and so can be told.
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
