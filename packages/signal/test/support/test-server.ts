import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { Published, ServerConnection, SignalServer, SignalServerOptions } from "@dt/signal";
import { createSignalServer } from "@dt/signal";

type Options = Omit<SignalServerOptions, "handler"> & {
  /** Called with every message; the message is pending until what it returns is done. */
  readonly onPublish?: (message: Published) => Promise<void> | undefined;
};

/** A server on TCP that keeps the text of every message, by topic. */
export class TestServer {
  readonly signals: SignalServer;
  readonly connections: ServerConnection[] = [];
  readonly messages = new Map<string, string[]>();
  /** Why connections ended that did not simply end. */
  readonly errors: Error[] = [];
  readonly #lastOf = new Map<string, number>();
  readonly #tcp: Server;

  private constructor({ onPublish, ...options }: Options) {
    this.signals = createSignalServer({
      ...options,
      handler: {
        openProducer: ({ producerName }) => this.#lastOf.get(producerName) ?? 0,
        publish: (message) => {
          const kept = this.of(message.topic);
          this.messages.set(message.topic, kept);
          kept.push(Buffer.from(message.payload).toString());
          this.#lastOf.set(message.producerName, message.sequenceId);
          const done = onPublish?.(message);
          return done ? done.then(() => kept.length - 1) : kept.length - 1;
        },
      },
    });
    this.signals.on("closed", ({ error }) => {
      if (error) this.errors.push(error);
    });
    this.#tcp = createServer({ noDelay: true }, (socket) => this.connections.push(this.signals.attach(socket)));
  }

  static async listen(options: Options = {}): Promise<TestServer> {
    const server = new TestServer(options);
    server.#tcp.listen(0, "127.0.0.1");
    await once(server.#tcp, "listening");
    return server;
  }

  get endpoint(): { readonly host: string; readonly port: number } {
    return { host: "127.0.0.1", port: (this.#tcp.address() as AddressInfo).port };
  }

  /** The messages of a topic so far. */
  of(topic: string): string[] {
    return this.messages.get(topic) ?? [];
  }

  connect(): Socket {
    return connect({ ...this.endpoint, noDelay: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#tcp, "close");
    this.#tcp.close();
    await this.signals.close();
    await closed;
  }
}
