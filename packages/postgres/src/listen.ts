import { createHash } from "node:crypto";
import { DtError, isDtError } from "@dt/core";
import { type Call, type HintEvents, type HintLink, type Listen, SetUpFirst, type Topic } from "@dt/core/store";
import { isMissingSchema } from "./errors.ts";
import { acquire } from "./pool/acquire.ts";
import { statement } from "./pool/gate.ts";
import type { PostgresClient, PostgresPool } from "./pool/postgres-pool.ts";
import { number, rowOf, text } from "./reply/field.ts";
import type { Schema } from "./schema/schema.ts";
import { literal } from "./statement/literal.ts";

/**
 * What this package calls the channel of a group's hints, of those for one member of a semaphore, or of those of a
 * key's permits. The server makes the channel's real name of it, with a secret of the schema (`dt_channel`).
 */
export function channelOf({ kind, name, member }: Topic): string {
  const channel = `${kind} ${createHash("sha256").update(name).digest("hex")}`;
  // As dt_slot_hint makes it.
  return member === undefined ? channel : `${channel} ${member}`;
}

/** What runs a step of listening: {@link listenBy}. */
type Step = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * What opens a connection that listens.
 * @param onError hears why it could not be opened, or does not listen any more
 */
export function listenBy(pool: PostgresPool, schema: Schema, onError: (error: unknown) => void): Listen {
  const step: Step = async (work) => {
    try {
      return await work();
    } catch (error) {
      // Otherwise it is not wanted any more: nothing is wrong.
      if (!isDtError(error, "DT_ABORTED") && !isDtError(error, "DT_STORE_CLOSED")) onError(error);
      if (!isMissingSchema(error)) throw error;
      // The server was set up anew, or another program dropped the schema.
      schema.forget();
      throw new SetUpFirst();
    }
  };
  return (events, call) =>
    step(async () => {
      // What takes longer than this call goes on, and a later one finds it done.
      if (!(await schema.isReady())) await schema.make();
      return ListeningClient.open(pool, schema.name, events, step, call);
    });
}

/** A connection of the pool's that listens and does nothing else. It never goes back to the pool. */
class ListeningClient implements HintLink {
  readonly #client: PostgresClient;
  readonly #schema: string;
  readonly #step: Step;
  /** What each channel is of. */
  readonly #topics = new Map<string, Topic>();
  #ended = false;

  private constructor(client: PostgresClient, schema: string, { onHint, onLost }: HintEvents, step: Step) {
    this.#client = client;
    this.#schema = schema;
    this.#step = step;
    client.on("notification", (message) => {
      const { channel, payload } = message as { readonly channel: string; readonly payload?: string };
      const topic = this.#topics.get(channel);
      if (topic !== undefined) onHint(topic, payload);
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
    events: HintEvents,
    step: Step,
    { signal }: Call,
  ): Promise<ListeningClient> {
    const client = new ListeningClient(await acquire(pool, signal), schema, events, step);
    const end = (): void => client.close();
    signal.addEventListener("abort", end, { once: true });
    try {
      await client.#refusePooler();
      signal.throwIfAborted();
      return client;
    } catch (error) {
      client.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  /** Channels are names made by `dt_channel`: letters, digits and _. */
  async listen(topics: readonly Topic[]): Promise<void> {
    if (topics.length === 0) return;
    await this.#step(async () => {
      const channels = await this.#channels(topics);
      for (const [i, channel] of channels.entries()) this.#topics.set(channel, topics[i] as Topic);
      await this.#run(channels.map((channel) => `LISTEN ${channel}`).join("; "));
    });
  }

  async unlisten(topic: Topic): Promise<void> {
    const [channel] = [...this.#topics].find(([, listened]) => listened === topic) ?? [];
    if (channel === undefined) return;
    this.#topics.delete(channel);
    await this.#run(`UNLISTEN ${channel}`);
  }

  /**
   * Rejects when the connection is dead, or the schema is not the one that it listens to any more: it was dropped, and
   * has another secret.
   */
  async check(): Promise<void> {
    await this.#step(async () => {
      const [first] = this.#topics;
      if (!first) return void (await this.#run("SELECT 1"));
      const [channel, topic] = first;
      const [current] = await this.#channels([topic]);
      if (current !== channel && this.#topics.has(channel)) throw new Error("the schema was made anew");
    });
  }

  /** Ends the connection. Its listeners stay: pg must find one to tell of an error. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#client.release(true);
  }

  async #channels(topics: readonly Topic[]): Promise<string[]> {
    const calls = topics.map((topic) => `${this.#schema}.dt_channel(${literal(channelOf(topic))})`);
    const { rows } = (await this.#run(`SELECT ${calls.join(", ")}`)) as { rows?: unknown };
    return rowOf(rows, topics.length).map(text);
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
      "hints do not work through a pooler such as PgBouncer; give hints: { connectionString } or hints: { pool } that leads to the server itself",
    );
  }
}
