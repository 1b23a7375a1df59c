import type { Timer } from "@dt/core";
import type { Push } from "./connection.ts";
import { backoff } from "./own-options.ts";
import type { IoredisClient, IoredisUse } from "./redis-client.ts";

/** How often an idle subscription is asked whether it is still there: a dead network says nothing by itself. */
const CHECK_EVERY_MS = 10_000;

/** A connection from its first moment on. */
interface Opening {
  /** Subscribed to every channel there was when it was opened. */
  readonly client: Promise<IoredisClient>;
  /** Aborted when it is not wanted any more, or lost. */
  readonly over: AbortController;
}

/**
 * Pub/sub on a connection of its own, opened with the first channel and closed with the last. When it is lost, it is
 * opened and subscribed again for as long as anybody listens, and that is told, because a message may have been missed.
 */
export class Subscriber implements Push {
  readonly #pickClient: () => Promise<IoredisClient>;
  readonly #use: IoredisUse;
  readonly #delayMs: (attempt: number) => number;
  readonly #channels = new Map<string, Set<() => void>>();
  #opening: Opening | undefined;
  /** Runs until the connection is tried again, or until it is pinged. */
  #timer: Timer | undefined;
  #failures = 0;
  onAgain: () => void = () => {};

  /** @param pickClient gives the client whose options the connection takes over */
  constructor(pickClient: () => Promise<IoredisClient>, use: IoredisUse) {
    this.#pickClient = pickClient;
    this.#use = use;
    this.#delayMs = backoff(use.runtime);
  }

  async listen(channel: string, onMessage: () => void, signal: AbortSignal): Promise<() => void> {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners);
    // A function of our own, so that the same callback may listen twice.
    const listener = (): void => onMessage();
    listeners.add(listener);
    const stop = (): void => this.#stop(channel, listener);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const client = await this.#connected();
      await client.subscribe(channel);
      return stop;
    } catch (error) {
      stop();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** The reply does not matter: without one, `socketTimeout` ends the connection. */
  check(): void {
    this.#opening?.client.then((client) => client.call("ping")).catch(() => {});
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
    } else this.#opening?.client.then((client) => client.unsubscribe(channel)).catch(() => {});
  }

  #connected(): Promise<IoredisClient> {
    if (this.#opening) return this.#opening.client;
    this.#timer?.cancel();
    const over = new AbortController();
    const opening = { over, client: this.#open(over.signal) };
    this.#opening = opening;
    opening.client.then(
      (client) => this.#established(client, opening),
      () => this.#lost(opening),
    );
    return opening.client;
  }

  async #open(over: AbortSignal): Promise<IoredisClient> {
    const { timeoutMs, onError } = this.#use;
    const picked = await this.#pickClient();
    over.throwIfAborted();
    const client = picked.duplicate({
      lazyConnect: true,
      // Opening it again is this class's business, which knows what to subscribe to, and whom to call then.
      retryStrategy: null,
      autoResubscribe: false,
      enableOfflineQueue: false,
      connectTimeout: 2 * timeoutMs,
      socketTimeout: 2 * timeoutMs,
    });
    over.addEventListener("abort", () => client.disconnect());
    client.on("error", onError);
    client.on("message", (channel: string) => this.#notify(channel));
    await client.connect();
    if (this.#channels.size > 0) await client.subscribe(...this.#channels.keys());
    return client;
  }

  #established(client: IoredisClient, opening: Opening): void {
    if (opening.over.signal.aborted) return;
    client.on("end", () => this.#lost(opening));
    if (client.status === "end") {
      this.#lost(opening);
      return;
    }
    if (this.#failures > 0) this.onAgain();
    this.#failures = 0;
    this.#checkLater();
  }

  #lost(opening: Opening): void {
    if (opening.over.signal.aborted) return;
    this.#disconnect();
    if (this.#channels.size === 0) return;
    this.#failures += 1;
    this.#timer = this.#later(() => this.#connected().catch(() => {}), this.#delayMs(this.#failures));
  }

  #disconnect(): void {
    this.#timer?.cancel();
    this.#opening?.over.abort();
    this.#opening = undefined;
  }

  #checkLater(): void {
    this.#timer = this.#later(() => {
      this.check();
      this.#checkLater();
    }, CHECK_EVERY_MS);
  }

  #later(callback: () => void, delayMs: number): Timer {
    return this.#use.runtime.setTimer(callback, delayMs, { keepAlive: false });
  }

  #notify(channel: string): void {
    for (const listener of this.#channels.get(channel) ?? []) queueMicrotask(listener);
  }
}
