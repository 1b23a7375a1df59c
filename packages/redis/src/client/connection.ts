import type { Call } from "@dt/core/store";
import type { RedisClient } from "./redis-client.ts";

/** Pub/sub channels, on a connection of their own where the client has such. */
export interface Channels {
  /** Resolves once listening to all of them. */
  subscribe(channels: readonly string[]): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  /** Rejects when the connection is dead. */
  ping(): Promise<unknown>;
  close(): void;
}

export interface ChannelEvents {
  /** The text is absent where a client handed in does not give it. */
  readonly onMessage: (channel: string, text?: string) => void;
  /** The connection is lost. Not by a client of unknown kind, which subscribes again by itself. */
  readonly onLost: () => void;
}

/** Opens a connection for channels. Once the signal has aborted it is ended. */
export type OpenChannels = (events: ChannelEvents, signal: AbortSignal) => Promise<Channels>;

/** What the store needs of a client, whatever kind it is. */
export interface Connection {
  /**
   * Sends one command as soon as the client can take it, at once or not at all: not when the call's signal has aborted
   * or the store is closed, since its caller was told already that it failed. Sets `sent` just before.
   * @param master to which of the {@link masters}; left out: the client knows by the command's keys
   * @throws what the client rejects with, or the signal's reason
   */
  send(command: readonly [string, ...string[]], call: Pick<Call, "signal" | "sent">, master?: string): Promise<unknown>;
  /** Names of the masters that there are now: of a Cluster `host:port`; otherwise one, which has no name. */
  masters(signal: AbortSignal): Promise<readonly string[]>;
  /** What the client puts before every key. */
  readonly keyPrefix: string;
  /** Why there is no connection, as far as it is known. */
  readonly lastError: unknown;
  /** Absent for a client that cannot listen. */
  readonly openChannels: OpenChannels | undefined;
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
  readonly openChannels: OpenChannels | undefined;
  readonly #client: RedisClient;
  readonly #closed = new AbortController();

  constructor(client: RedisClient) {
    this.#client = client;
    const listen = client.listen?.bind(client);
    this.openChannels = listen && (async ({ onMessage }) => plainChannels(listen, onMessage));
  }

  async send(command: readonly [string, ...string[]], call: Pick<Call, "signal" | "sent">): Promise<unknown> {
    this.#closed.signal.throwIfAborted();
    call.signal.throwIfAborted();
    call.sent = true;
    return this.#client.call(...command);
  }

  async masters(): Promise<readonly string[]> {
    return [""];
  }

  close(): void {
    this.#closed.abort();
  }
}

function plainChannels(listen: NonNullable<RedisClient["listen"]>, onMessage: ChannelEvents["onMessage"]): Channels {
  const ends = new Map<string, Promise<() => void>>();
  const end = async (channel: string): Promise<void> => {
    const ending = ends.get(channel);
    ends.delete(channel);
    (await ending)?.();
  };
  const begin = async (channel: string): Promise<void> => {
    const beginning =
      ends.get(channel) ?? listen(channel, (text) => onMessage(channel, typeof text === "string" ? text : undefined));
    ends.set(channel, beginning);
    try {
      await beginning;
    } catch (error) {
      if (ends.get(channel) === beginning) ends.delete(channel);
      throw error;
    }
  };
  return {
    subscribe: (channels) => Promise.all(channels.map(begin)),
    unsubscribe: end,
    ping: async () => {},
    close() {
      for (const channel of [...ends.keys()]) end(channel).catch(() => {});
    },
  };
}
