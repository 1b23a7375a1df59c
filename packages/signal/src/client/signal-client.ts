import { DtError, randomId } from "@dt/core";
import { checkInteger, checkKeys, checkName, Events } from "@dt/core/internal";
import { type ThrottleCount, ThrottleCounts } from "../metrics/throttle-counts.ts";
import type { ThrottlingReason } from "../protocol/reason.ts";
import { Connector } from "./connector.ts";
import { Consumer } from "./consumer.ts";
import { type ClientSettings, checkClientOptions, type SignalClientOptions } from "./options.ts";
import { PartitionedProducer, partitionName } from "./partitioned-producer.ts";
import { Producer } from "./producer.ts";

/** Options of `createProducer`. */
export interface ProducerOptions {
  /**
   * Unique among all producers. A producer that comes back under its name goes on where it was, in another process as
   * well.
   * @default a random one
   */
  readonly name?: string;
}

/** Options of `subscribe`. */
export interface SubscribeOptions {
  /**
   * The first message wanted.
   * @default the next one to come
   */
  readonly from?: number;
  /**
   * How many messages may wait here to be received.
   * @default 1,000
   */
  readonly receiveQueue?: number;
}

/** The events of a client. */
export interface ClientEvents {
  /** The server throttles a topic; `ms` is 0 where only the server knows for how long. */
  readonly throttled: { readonly topic: string; readonly reason: ThrottlingReason; readonly ms: number };
  /** A connection was made. */
  readonly connected: object;
  /** A connection is over, or could not be made. The client tries again. */
  readonly disconnected: { readonly error: Error | undefined };
}

/** A client of the protocol: one connection, made again when it is lost, for any number of producers and consumers. */
export class SignalClient {
  readonly #settings: ClientSettings;
  readonly #connector: Connector;
  readonly #producers = new Map<number, Producer>();
  readonly #consumers = new Map<number, Consumer>();
  readonly #throttled = new ThrottleCounts<ThrottlingReason>();
  readonly #events = new Events<ClientEvents>(
    "signal-client",
    { throttled: true, connected: true, disconnected: true },
    {},
  );
  #lastId = 0;

  /** @throws DtError `DT_INVALID_OPTION` */
  constructor(options: SignalClientOptions) {
    this.#settings = checkClientOptions(options);
    const producers = this.#producers;
    this.#connector = new Connector(this.#settings, {
      receipt: (receipt) => producers.get(receipt.producerId)?.confirmed(receipt),
      sendError: (error) => producers.get(error.producerId)?.refused(error),
      throttled: (signal) => producers.get(signal.producerId)?.signalled(signal),
      readsOn: () => {
        for (const producer of producers.values()) producer.readsOn();
      },
      message: (message, body) => this.#consumers.get(message.consumerId)?.arrived(message, body),
      drained: () => {
        for (const producer of producers.values()) producer.pump();
      },
      connected: () => this.#events.emit("connected", {}),
      disconnected: (error) => this.#events.emit("disconnected", { error }),
    });
  }

  /**
   * A producer of a topic; connects if need be.
   * @param topic the topic's name
   * @param options the producer's name
   * @throws DtError `DT_REFUSED`, `DT_CONNECTION_LOST` when there is no connection within `requestTimeout`,
   *   `DT_STOPPED`, `DT_INVALID_OPTION`
   */
  async createProducer(topic: string, options: ProducerOptions = {}): Promise<Producer> {
    checkKeys("options", options, new Set(["name"]));
    checkName("topic", topic);
    const name = options.name === undefined ? randomId(this.#settings.runtime) : checkName("name", options.name);
    this.#lastId += 1;
    const producer: Producer = new Producer(this.#lastId, topic, name, {
      settings: this.#settings,
      throttled: (of, reason, ms, times) => {
        this.#throttled.add(reason, of, ms, times);
        if (times > 0) this.#events.emit("throttled", { topic: of, reason, ms });
      },
      left: () => this.#left(producer, this.#producers),
    });
    return this.#join(producer, this.#producers);
  }

  /**
   * A producer of a topic in so many partitions.
   * @param topic the topic's name
   * @param partitions how many partitions the topic has
   * @throws DtError as {@link createProducer}
   */
  async createPartitionedProducer(topic: string, partitions: number): Promise<PartitionedProducer> {
    const count = checkInteger("partitions", partitions, 1, 10_000);
    const names = Array.from({ length: count }, (_, partition) => partitionName(topic, partition));
    return new PartitionedProducer(topic, await Promise.all(names.map((name) => this.createProducer(name))));
  }

  /**
   * A consumer of a topic; connects if need be.
   * @param topic the topic's name
   * @param options where the consumer begins
   * @throws DtError `DT_REFUSED`, `DT_CONNECTION_LOST` when there is no connection within `requestTimeout`,
   *   `DT_STOPPED`, `DT_INVALID_OPTION`
   */
  async subscribe(topic: string, options: SubscribeOptions = {}): Promise<Consumer> {
    checkKeys("options", options, new Set(["from", "receiveQueue"]));
    checkName("topic", topic);
    const from = options.from === undefined ? undefined : checkInteger("from", options.from, 0);
    const room = checkInteger("receiveQueue", options.receiveQueue ?? 1_000, 1, 0xffff_ffff);
    this.#lastId += 1;
    const consumer: Consumer = new Consumer(this.#lastId, topic, from, room, () =>
      this.#left(consumer, this.#consumers),
    );
    return this.#join(consumer, this.#consumers);
  }

  /** How often, and for how many milliseconds, each topic was throttled, by reason. */
  metrics(): { readonly throttled: readonly ThrottleCount<ThrottlingReason>[] } {
    return { throttled: this.#throttled.list() };
  }

  /**
   * Listens to an event; returns a function that ends it.
   * @param name the event
   * @param listener the function that receives each of them
   * @throws DtError `DT_INVALID_OPTION` when there is no such event
   */
  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  /** Ends the connection. What is not confirmed yet fails with `DT_STOPPED`. */
  async close(): Promise<void> {
    this.#connector.close(new DtError("DT_STOPPED", "the client is closed", { effect: "unknown" }));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /**
   * Known from the start: a signal may come in the same breath as the answer. One that is refused, or waits too long,
   * is gone.
   */
  async #join<Kind extends Producer | Consumer>(member: Kind, members: Map<number, Kind>): Promise<Kind> {
    members.set(member.id, member);
    try {
      await this.#connector.join(member);
      return member;
    } catch (error) {
      member.end(error as Error);
      throw error;
    }
  }

  #left<Kind extends Producer | Consumer>(member: Kind, members: Map<number, Kind>): void {
    members.delete(member.id);
    this.#connector.leave(member);
  }
}

/**
 * Makes a client of the protocol. It connects with its first producer or consumer.
 * @param options where the server is, and how the client waits
 * @throws DtError `DT_INVALID_OPTION`
 * @example
 * const client = createSignalClient({ connect: () => net.connect(6650) });
 * const producer = await client.createProducer("orders");
 */
export function createSignalClient(options: SignalClientOptions): SignalClient {
  return new SignalClient(options);
}
