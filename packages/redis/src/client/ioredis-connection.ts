import { DtError, type Runtime } from "@dt/core";
import type { Call } from "@dt/core/store";
import { discreet } from "../errors.ts";
import type { ChannelEvents, Channels, Connection } from "./connection.ts";
import type { IoredisClient, IoredisSettings } from "./redis-client.ts";

/**
 * An ioredis `Redis` or `Cluster`. Commands are handed over only while the client is ready: none waits in a queue of
 * the client's, to be sent after its caller has given up. When the connection is lost, unanswered calls fail at once;
 * ioredis would let them hang.
 */
export class IoredisConnection implements Connection {
  readonly isCluster: boolean;
  readonly keyPrefix: string;
  readonly #client: IoredisClient;
  readonly #settings: IoredisSettings;
  /** Fail the commands that are not answered yet. */
  readonly #unanswered = new Set<(error: unknown) => void>();
  readonly #channels = new Set<Channels>();
  readonly #waiters = new Set<() => void>();
  readonly #closed = new AbortController();
  readonly #listeners: readonly (readonly [string, (error?: unknown) => void])[];
  #lastError: unknown;

  constructor(client: IoredisClient, given: IoredisSettings) {
    const settings = { ...given, onError: (error: unknown) => given.onError(discreet(error)) };
    this.#client = client;
    this.#settings = settings;
    this.isCluster = client.isCluster === true;
    this.keyPrefix = String(client.options.keyPrefix ?? "");
    const onClose = (): void => {
      for (const fail of this.#unanswered) fail(new Error("the connection was lost before the reply came"));
      // Without a reply, `socketTimeout` ends the connection: that it is lost is noticed soon.
      for (const channels of this.#channels) channels.ping().catch(() => {});
    };
    const onError = (error: unknown): void => {
      this.#lastError = discreet(error);
      settings.onError(error);
    };
    this.#listeners = [
      ["ready", () => this.#wake()],
      ["end", () => this.#wake()],
      ["close", onClose],
      // A listener on somebody else's client would keep ioredis from printing errors that nobody else hears.
      ...(settings.owned
        ? ([
            ["error", onError],
            ["node error", onError],
          ] as const)
        : []),
    ];
    for (const [event, listener] of this.#listeners) client.on(event, listener);
  }

  get lastError(): unknown {
    // The errors of a client handed in are not heard here, but it shows that it lost its connection.
    const lost = this.#client.status === "reconnecting" || this.#client.status === "close";
    return this.#lastError ?? (lost ? new Error("the connection was lost") : undefined);
  }

  async send(
    command: readonly [string, ...string[]],
    call: Pick<Call, "signal" | "sent">,
    master = "",
  ): Promise<unknown> {
    await this.#ready(call.signal);
    // Also when nothing had to be waited for: it may be the second command of its call.
    call.signal.throwIfAborted();
    const node = master === "" ? this.#client : mastersOf(this.#client).get(master);
    if (!node) throw new DtError("DT_STORE_UNAVAILABLE", `${master} is no master of the cluster any more`);
    call.sent = true;
    return this.#answered(node.call(...command));
  }

  readonly openChannels = async ({ onMessage, onLost }: ChannelEvents, signal: AbortSignal): Promise<Channels> => {
    const { runtime, timeoutMs, onError } = this.#settings;
    await this.#ready(signal);
    const client = pickNode(this.#client, runtime).duplicate({
      lazyConnect: true,
      // Opening it again is the store's business, which knows what to subscribe to, and whom to call then.
      retryStrategy: null,
      autoResubscribe: false,
      enableOfflineQueue: false,
      connectTimeout: 2 * timeoutMs,
      socketTimeout: 2 * timeoutMs,
    });
    const channels: Channels = {
      subscribe: (names) => client.subscribe(...names),
      unsubscribe: (name) => client.unsubscribe(name),
      ping: () => client.call("ping"),
      close: () => {
        this.#channels.delete(channels);
        client.disconnect();
      },
    };
    signal.addEventListener("abort", channels.close, { once: true });
    client.on("error", onError);
    client.on("message", onMessage);
    await client.connect();
    client.on("end", onLost);
    if (client.status === "end") throw new Error("Connection is closed.");
    this.#channels.add(channels);
    return channels;
  };

  async masters(signal: AbortSignal): Promise<readonly string[]> {
    if (!this.isCluster) return [""];
    await this.#ready(signal);
    return [...mastersOf(this.#client).keys()];
  }

  close(): void {
    this.#closed.abort();
    for (const [event, listener] of this.#listeners) if (event !== "error") this.#client.off(event, listener);
    if (this.#settings.owned) this.#client.disconnect();
  }

  /** The reply; or at once the error when the connection is lost. */
  #answered(reply: Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#unanswered.add(reject);
      reply.then(resolve, reject).finally(() => this.#unanswered.delete(reject));
    });
  }

  #wake(): void {
    if (this.#client.status === "ready") this.#lastError = undefined;
    for (const waiter of this.#waiters) waiter();
  }

  /** A socket that ended a moment ago, as yet unknown to the client, would send the command to its queue. */
  #isReady(): boolean {
    return this.#client.status === "ready" && this.#client.stream?.writable !== false;
  }

  async #ready(signal: AbortSignal): Promise<void> {
    // The client would be connected again, and its connection be nobody's.
    this.#closed.signal.throwIfAborted();
    while (!this.#isReady()) {
      signal.throwIfAborted();
      if (this.#client.status === "end" && !this.#settings.owned) {
        throw new DtError(
          "DT_STORE_UNAVAILABLE",
          "the client handed in was ended by its owner; give the store one that lives as long",
        );
      }
      // A client that was never used, or one that gave up: ioredis does that when its own set-up fails.
      if (this.#client.status === "wait" || this.#client.status === "end") this.#client.connect().catch(() => {});
      await this.#change(signal);
    }
  }

  /** Resolves when the client's status may have changed. */
  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiters.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#waiters.add(done);
      signal.addEventListener("abort", done);
    });
  }
}

/** A Cluster's connections to its masters, by where they are. */
function mastersOf(client: IoredisClient): ReadonlyMap<string, IoredisClient> {
  const nodes = client.nodes?.("master") ?? [];
  return new Map(nodes.map((node) => [`${node.options.host}:${node.options.port}`, node]));
}

/** The client to duplicate for a subscription: of a Cluster any master, since each of them hears every message. */
function pickNode(client: IoredisClient, runtime: Runtime): IoredisClient {
  const masters = client.nodes?.("master");
  if (!masters) return client;
  const node = masters[Math.floor(runtime.random() * masters.length)];
  if (!node) throw new DtError("DT_STORE_UNAVAILABLE", "the cluster has no master that is known yet");
  return node;
}
