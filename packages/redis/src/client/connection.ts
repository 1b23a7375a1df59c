import type { RedisClient } from "./redis-client.ts";

/** Listens on pub/sub channels. */
export interface Push {
  /** Resolves when listening, with a function that ends it. */
  listen(channel: string, onMessage: () => void, signal: AbortSignal): Promise<() => void>;
  /** Called when a lost subscription was made again: messages may have been missed. Not by a client of unknown kind. */
  onAgain: () => void;
  /** Something is wrong with the network or the server: makes sure that a subscription that is lost is noticed soon. */
  check(): void;
  close(): void;
}

/** What the store needs of a client, whatever kind it is. */
export interface Connection {
  /**
   * Sends one command as soon as the client can take it, at once or not at all: not when the signal has aborted or the
   * store is closed, since its caller was told already that it failed. `onSent` is called just before.
   * @param master to which of the {@link masters}; left out: the client knows by the command's keys
   * @throws what the client rejects with, or the signal's reason
   */
  send(
    command: readonly [string, ...string[]],
    signal: AbortSignal,
    onSent: () => void,
    master?: string,
  ): Promise<unknown>;
  /** Names of the masters that there are now: of a Cluster `host:port`; otherwise one, which has no name. */
  masters(signal: AbortSignal): Promise<readonly string[]>;
  /** What the client puts before every key. */
  readonly keyPrefix: string;
  /** Why there is no connection, as far as it is known. */
  readonly lastError: unknown;
  readonly push: Push | undefined;
  /** True for a client of a Redis Cluster. */
  readonly isCluster: boolean;
  /** Ends what was opened here, never a client handed in. */
  close(): void;
}

/** A client of unknown kind: it is believed to do what {@link RedisClient} says. */
export class PlainConnection implements Connection {
  readonly lastError = undefined;
  readonly isCluster = false;
  readonly keyPrefix = "";
  readonly push: Push | undefined;
  readonly #client: RedisClient;
  readonly #closed = new AbortController();

  constructor(client: RedisClient) {
    this.#client = client;
    if (client.listen)
      this.push = { listen: client.listen.bind(client), onAgain: () => {}, check: () => {}, close: () => {} };
  }

  async send(command: readonly [string, ...string[]], signal: AbortSignal, onSent: () => void): Promise<unknown> {
    this.#closed.signal.throwIfAborted();
    signal.throwIfAborted();
    onSent();
    return this.#client.call(...command);
  }

  async masters(): Promise<readonly string[]> {
    return [""];
  }

  close(): void {
    this.#closed.abort();
  }
}
