import type { Runtime } from "@dt/core";

/**
 * The least that a client handed in must do. `Redis` and `Cluster` of ioredis, and of its forks such as iovalkey, do it
 * as they are. The store also checks them for unsafe options, waits while they reconnect, and uses them for hints. Any
 * other client takes two lines; for node-redis: `{ call: (...command) => client.sendCommand(command) }`.
 */
export interface RedisClient {
  /**
   * Sends one command and resolves with its reply, bulk strings as strings. Rejects with an `Error` whose message is
   * the server's error reply (`"NOSCRIPT No matching script..."`). Must not send a command again after its reply was
   * lost.
   * @param command the command's name
   * @param args its arguments
   */
  call(command: string, ...args: string[]): Promise<unknown>;
  /**
   * Optional, for hints: calls back on each message of a pub/sub channel. Uses a connection other than that of
   * {@link call}, and subscribes again by itself when that is lost. Resolves when listening, with a function that ends
   * it.
   * @param channel the channel's name
   * @param onMessage the function that receives the text of each message. Without a text, a member of a semaphore asks
   *   the store instead
   */
  listen?(channel: string, onMessage: (text?: string) => void): Promise<() => void>;
}

/**
 * The options that decide whether a command is sent again after its reply was lost; those of a Redis and those of a
 * Cluster.
 */
export interface ResendingOptions {
  readonly autoResendUnfulfilledCommands?: unknown;
  readonly retryDelayOnFailover?: unknown;
  readonly clusterNodeRetryStrategy?: unknown;
  readonly redisOptions?: ResendingOptions;
}

/** Of the options of a client: what it puts before every key, and where its server is. */
export interface ClientOptions extends ResendingOptions {
  readonly keyPrefix?: unknown;
  readonly host?: unknown;
  readonly port?: unknown;
}

/** What this package uses of an ioredis `Redis` or `Cluster`, described so that forks and other versions fit. */
export interface IoredisClient extends RedisClient {
  readonly status: string;
  readonly isCluster?: boolean;
  readonly options: ClientOptions;
  /** The socket, of a Redis that has one. */
  readonly stream?: { readonly writable: boolean } | null;
  connect(): Promise<unknown>;
  disconnect(): void;
  on(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: (...args: never[]) => void): unknown;
  duplicate(override: Readonly<Record<string, unknown>>): IoredisClient;
  subscribe(...channels: string[]): Promise<unknown>;
  unsubscribe(...channels: string[]): Promise<unknown>;
  /** Only of a Cluster: its connections to the masters. */
  nodes?(role: "master"): IoredisClient[];
}

/** Whether a client is of the ioredis family, by what it has: `instanceof` would not see forks and other copies. */
export function isIoredis(client: RedisClient): client is IoredisClient {
  const candidate = client as Partial<IoredisClient>;
  return (
    typeof candidate.status === "string" &&
    typeof candidate.options === "object" &&
    typeof candidate.duplicate === "function" &&
    typeof candidate.on === "function" &&
    typeof candidate.off === "function"
  );
}

/** How a client is used. */
export interface IoredisSettings {
  /** True for a client that the store created: it is ended with the store, and its errors are heard here. */
  readonly owned: boolean;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
  /** Hears the errors of connections that the store opened. */
  readonly onError: (error: unknown) => void;
}
