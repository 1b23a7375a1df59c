import type { Duplex } from "node:stream";
import { Events } from "@dt/core/internal";
import { SignalError } from "../errors.ts";
import { type ThrottleCount, ThrottleCounts } from "../metrics/throttle-counts.ts";
import { BufferBudget } from "./buffer-budget.ts";
import type { ServerShared } from "./connection-home.ts";
import { OWN_BYTES } from "./frame-room.ts";
import { Limiter } from "./limiter.ts";
import { checkServerOptions, type ServerSettings, type SignalServerOptions } from "./options.ts";
import { ServerConnection } from "./server-connection.ts";
import { noSignals, type SignalCounts } from "./signal-counts.ts";
import { type LimiterName, LimitsOfTopics } from "./topic-limits.ts";

/** The events of a server. */
export interface ServerEvents {
  /**
   * A limit was reached. `topic` is empty where the whole connection is meant; `ms` is 0 where the end is not known.
   */
  readonly throttled: { readonly limiter: LimiterName; readonly topic: string; readonly ms: number };
  /** A connection is over. `error` is the reason; undefined where the connection simply ended. */
  readonly closed: { readonly connection: ServerConnection; readonly error: Error | undefined };
}

/** Counters of a server since it was made, and the amounts that it holds now. */
export interface ServerMetrics {
  /** How often each limiter throttled, by topic where one topic is meant. */
  readonly throttled: readonly ThrottleCount<LimiterName>[];
  /** The signals of all connections, counted. */
  readonly signals: Readonly<SignalCounts>;
  /** How often connections were not read, and for how many milliseconds: sums of all connections. */
  readonly pauses: { readonly times: number; readonly ms: number };
  /** Connections that are open. */
  readonly connections: number;
  /** Messages that were received and are not stored yet. */
  readonly pendingMessages: number;
  /**
   * Bytes held now: frames that are being read or pending, the rest of what was read, answers not yet read by clients.
   */
  readonly bufferedBytes: number;
  /**
   * The most bytes of `maxMessageBufferBytes` that were ever in use, by frames in part and pending messages.
   */
  readonly mostMessageBytes: number;
  /**
   * The bound of `bufferedBytes` with `maxConnections`, whatever clients do. Each consumer may add one message to it.
   */
  readonly boundBytes: number;
}

/** A socket that is paused holds what it was reading, and has read once more: Node reads 64 KiB at a time. */
const READ_BYTES = 2 * 64 * 1_024;

/** Room for the frame of a receipt, or of a signal. */
const ANSWER_BYTES = 64;

/** A server of the protocol over any byte streams. It listens to nothing itself: each connection is handed in. */
export class SignalServer {
  readonly #settings: ServerSettings;
  readonly #shared: ServerShared;
  readonly #connections = new Set<ServerConnection>();
  /** Connections whose client has not sent its greeting, the oldest first. */
  readonly #strangers = new Set<ServerConnection>();
  readonly #throttled = new ThrottleCounts<LimiterName>();
  readonly #events = new Events<ServerEvents>("signal-server", { throttled: true, closed: true }, {});
  /** What connections that are over have counted. */
  #signals = noSignals();
  #pauses = { times: 0, ms: 0 };
  #closed = false;

  /** @throws DtError `DT_INVALID_OPTION` */
  constructor(options: SignalServerOptions) {
    const settings = checkServerOptions(options);
    this.#settings = settings;
    this.#shared = {
      settings,
      limits: new LimitsOfTopics(settings),
      budget: new BufferBudget(settings.maxMessageBufferBytes, settings.maxFrameBytes),
      broker: new Limiter(settings.brokerQuota, settings.runtime.now()),
      throttled: (limiter, topic, ms) => {
        this.#throttled.add(limiter, topic, ms);
        this.#events.emit("throttled", { limiter, topic, ms });
      },
    };
  }

  /**
   * Serves a client on a stream: a TCP, TLS or Unix socket. The stream belongs to the connection from here on.
   *
   * A connection beyond `maxConnections` takes the place of the oldest whose client has not sent its greeting. Where
   * there is none, and after `close`, the stream is closed at once.
   * @param stream a socket, or anything that is read and written like one
   */
  attach(stream: Duplex): ServerConnection {
    const connection: ServerConnection = new ServerConnection(stream, this.#shared, {
      greeted: () => this.#strangers.delete(connection),
      closed: (error) => this.#over(connection, error),
    });
    const { maxConnections } = this.#settings;
    if (!this.#closed && this.#connections.size >= maxConnections) this.#makePlace();
    if (this.#closed || this.#connections.size >= maxConnections)
      connection.close(new SignalError("DT_REFUSED", `there are ${maxConnections} connections already`));
    else {
      this.#connections.add(connection);
      this.#strangers.add(connection);
    }
    return connection;
  }

  /**
   * Listens to an event; returns a function that ends it.
   * @param name the event
   * @param listener the function that receives each of them
   * @throws DtError `DT_INVALID_OPTION` when there is no such event
   */
  on<Name extends keyof ServerEvents>(name: Name, listener: (event: ServerEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  #over(connection: ServerConnection, error: Error | undefined): void {
    this.#strangers.delete(connection);
    if (!this.#connections.delete(connection)) return;
    const { signals, pauses } = connection.status();
    this.#signals = summed(this.#signals, signals);
    this.#pauses = summed(this.#pauses, pauses);
    this.#events.emit("closed", { connection, error });
  }

  /** Connections that send nothing must not keep out those that would. */
  #makePlace(): void {
    const [oldest] = this.#strangers;
    const text = `there are ${this.#settings.maxConnections} connections, and this client had not sent connect`;
    oldest?.close(new SignalError("DT_REFUSED", text));
  }

  /** Counters of the server, and the amounts that it holds now. */
  metrics(): ServerMetrics {
    const all = [...this.#connections].map((connection) => connection.status());
    const total = (of: (status: (typeof all)[number]) => number): number =>
      all.reduce((sum, status) => sum + of(status), 0);
    // What has come of a frame is counted in both.
    const shared = [...this.#connections].reduce((sum, { sharedBytes }) => sum + sharedBytes, 0);
    return {
      throttled: this.#throttled.list(),
      signals: all.reduce((sum, { signals }) => summed(sum, signals), this.#signals),
      pauses: all.reduce((sum, { pauses }) => summed(sum, pauses), this.#pauses),
      connections: all.length,
      pendingMessages: total(({ pendingMessages }) => pendingMessages),
      bufferedBytes: this.#shared.budget.used + total(({ bufferedBytes }) => bufferedBytes) - shared,
      mostMessageBytes: this.#shared.budget.most,
      boundBytes: boundOf(this.#settings),
    };
  }

  /** Ends all connections. Streams that come later are closed at once. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const connection of [...this.#connections]) connection.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Makes a server of the protocol.
 * @param options the handler, and the server's limits
 * @throws DtError `DT_INVALID_OPTION`
 * @example
 * const server = createSignalServer({ handler: { publish: ({ payload }) => keep(payload) } });
 * net.createServer((socket) => server.attach(socket)).listen(6650);
 */
export function createSignalServer(options: SignalServerOptions): SignalServer {
  return new SignalServer(options);
}

function boundOf(settings: ServerSettings): number {
  const { maxMessageBufferBytes, maxConnections, maxOutgoingBytes, maxPendingMessages, maxProducers } = settings;
  const answers = ANSWER_BYTES * (maxPendingMessages + maxProducers);
  return maxMessageBufferBytes + maxConnections * (READ_BYTES + OWN_BYTES + maxOutgoingBytes + answers);
}

function summed<Counts extends object>(a: Counts, b: Counts): Counts {
  const added = Object.entries(a).map(([name, value]) => [name, value + (b as Record<string, number>)[name]]);
  return Object.fromEntries(added) as Counts;
}
