import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { createSignalServer, type Handler, SignalError, type SignalServer, type SignalServerOptions } from "@dt/signal";
import { Topic } from "./topic.ts";

/** Options of a broker: those of its server, and what it keeps. */
export interface BrokerOptions extends Omit<SignalServerOptions, "handler"> {
  /** Where to listen. Default: a free port of 127.0.0.1. */
  readonly host?: string;
  readonly port?: number;
  /** Topics there may be. Default 1,000. */
  readonly maxTopics?: number;
  /** Messages of each topic that are kept at least. Default 10,000. */
  readonly keepMessages?: number;
}

/** A topic broker in memory, on TCP. */
export class Broker {
  readonly server: SignalServer;
  readonly #tcp: Server;
  readonly #topics: ReadonlyMap<string, Topic>;

  private constructor(server: SignalServer, tcp: Server, topics: ReadonlyMap<string, Topic>) {
    this.server = server;
    this.#tcp = tcp;
    this.#topics = topics;
  }

  /** Listens. @throws Error when it cannot, DtError `DT_INVALID_OPTION` */
  static async listen({
    host = "127.0.0.1",
    port = 0,
    maxTopics = 1_000,
    keepMessages = 10_000,
    ...options
  }: BrokerOptions = {}): Promise<Broker> {
    const topics = new Map<string, Topic>();
    const server = createSignalServer({ ...options, handler: inMemory(topics, maxTopics, keepMessages) });
    const tcp = createServer((socket) => void server.attach(socket));
    tcp.listen(port, host);
    await once(tcp, "listening");
    return new Broker(server, tcp, topics);
  }

  get port(): number {
    return (this.#tcp.address() as AddressInfo).port;
  }

  /** How many messages a topic has had. */
  messages(topic: string): number {
    return this.#topics.get(topic)?.next ?? 0;
  }

  async close(): Promise<void> {
    const closed = once(this.#tcp, "close");
    this.#tcp.close();
    await this.server.close();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Topics are made by whoever names them first. */
function inMemory(topics: Map<string, Topic>, maxTopics: number, keepMessages: number): Handler {
  const topicOf = (name: string): Topic => {
    const topic = topics.get(name) ?? new Topic(keepMessages);
    if (!topics.has(name) && topics.size >= maxTopics)
      throw new SignalError("DT_REFUSED", `there are ${maxTopics} topics`);
    topics.set(name, topic);
    return topic;
  };
  return {
    openProducer: ({ topic, producerName }) => topicOf(topic).lastOf(producerName),
    publish: (message) => topicOf(message.topic).keep(message),
    subscribe: (topic, from, wake) => topicOf(topic).read(from, wake),
  };
}
