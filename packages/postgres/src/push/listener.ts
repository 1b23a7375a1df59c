import type { Timer } from "@dt/core";
import { withDeadline } from "@dt/core/ledger";
import { isMissingSchema } from "../errors/sql-state.ts";
import type { PoolUse } from "../pool/own-pool.ts";
import type { PostgresPool } from "../pool/postgres-pool.ts";
import type { Schema } from "../schema/schema.ts";
import { backoffMs } from "./backoff.ts";
import { ListeningClient } from "./listening-client.ts";

/** How often an idle connection is asked whether it is still there: a dead network says nothing by itself. */
const PING_EVERY_MS = 10_000;

/** A connection from its first moment on. */
interface Opening {
  /** Listens on every channel there was when it was opened. */
  readonly client: Promise<ListeningClient>;
  /** Aborted when it is not wanted any more, or lost. */
  readonly over: AbortController;
}

/**
 * LISTEN on a connection of its own, opened with the first channel and ended with the last. When it is lost, it is
 * opened again for as long as anybody listens, and then everybody is called once, because a hint may have been missed.
 */
export class Listener {
  readonly #pool: PostgresPool;
  readonly #schema: Schema;
  readonly #use: PoolUse;
  readonly #channels = new Map<string, Set<() => void>>();
  #opening: Opening | undefined;
  /** Runs until the connection is tried again, or until it is asked. */
  #timer: Timer | undefined;
  #failures = 0;

  constructor(pool: PostgresPool, schema: Schema, use: PoolUse) {
    this.#pool = pool;
    this.#schema = schema;
    this.#use = use;
  }

  /** Resolves when listening, with a function that ends it. @throws what {@link ListeningClient.open} throws */
  async listen(channel: string, onHint: () => void, signal: AbortSignal): Promise<() => void> {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners);
    // A function of our own, so that the same callback may listen twice.
    const listener = (): void => onHint();
    listeners.add(listener);
    const stop = (): void => this.#stop(channel, listener);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const client = await this.#connected();
      await client.listen([channel]);
      return stop;
    } catch (error) {
      stop();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  close(): void {
    this.#channels.clear();
    this.#disconnect();
  }

  #stop(channel: string, listener: () => void): void {
    const listeners = this.#channels.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.#channels.delete(channel);
    if (this.#channels.size === 0) {
      this.#disconnect();
      this.#failures = 0;
    } else this.#opening?.client.then((client) => client.unlisten(channel)).catch(() => {});
  }

  #connected(): Promise<ListeningClient> {
    if (this.#opening) return this.#opening.client;
    this.#timer?.cancel();
    const over = new AbortController();
    const { runtime, timeoutMs } = this.#use;
    const opening: Opening = {
      over,
      client: withDeadline((signal) => this.#open(signal, over.signal, () => this.#lost(opening)), {
        runtime,
        timeoutMs,
        what: "postgres watch",
        signal: over.signal,
      }),
    };
    this.#opening = opening;
    opening.client.then(
      (client) => this.#established(client, opening),
      (error: unknown) => {
        if (isMissingSchema(error)) this.#schema.forget();
        this.#use.onError(error);
        this.#lost(opening);
      },
    );
    return opening.client;
  }

  async #open(deadline: AbortSignal, over: AbortSignal, onLost: () => void): Promise<ListeningClient> {
    const onNotification = (channel: string): void => this.#notify(channel);
    // On a server that was set up anew. What takes longer than this call goes on, and a later one finds it done.
    if (!(await this.#schema.isReady())) await this.#schema.make();
    const client = await ListeningClient.open(this.#pool, this.#schema.name, { onNotification, onLost }, deadline);
    const end = (): void => client.end();
    deadline.addEventListener("abort", end, { once: true });
    over.addEventListener("abort", end, { once: true });
    if (over.aborted) end();
    await client.listen([...this.#channels.keys()]);
    return client;
  }

  #established(client: ListeningClient, opening: Opening): void {
    if (opening.over.signal.aborted) return;
    if (this.#failures > 0) for (const channel of this.#channels.keys()) this.#notify(channel);
    this.#failures = 0;
    this.#pingLater(client, opening);
  }

  #lost(opening: Opening): void {
    if (opening.over.signal.aborted) return;
    this.#disconnect();
    if (this.#channels.size === 0) return;
    this.#failures += 1;
    this.#timer = this.#later(() => this.#connected().catch(() => {}), backoffMs(this.#failures, this.#use.runtime));
  }

  #disconnect(): void {
    this.#timer?.cancel();
    this.#opening?.over.abort();
    this.#opening = undefined;
  }

  #pingLater(client: ListeningClient, opening: Opening): void {
    const { runtime, timeoutMs } = this.#use;
    this.#timer = this.#later(() => {
      withDeadline(() => client.ping(), { runtime, timeoutMs, what: "postgres watch" }).then(
        () => {
          if (!opening.over.signal.aborted) this.#pingLater(client, opening);
        },
        (error: unknown) => {
          this.#use.onError(error);
          this.#lost(opening);
        },
      );
    }, PING_EVERY_MS);
  }

  #later(callback: () => void, delayMs: number): Timer {
    return this.#use.runtime.setTimer(callback, delayMs, { keepAlive: false });
  }

  #notify(channel: string): void {
    for (const listener of this.#channels.get(channel) ?? []) queueMicrotask(listener);
  }
}
