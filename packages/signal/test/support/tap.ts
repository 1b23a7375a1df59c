import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type Command, decodeFrame, FrameReader } from "@dt/signal";

/** What was said on the way, in the order in which it came by. */
export interface Said {
  readonly by: "client" | "server";
  readonly command: Command;
  readonly atMs: number;
}

/** Listens in on the connections to a server. */
export class Tap {
  readonly said: Said[] = [];
  readonly #tcp: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(port: number) {
    this.#tcp = createServer({ noDelay: true }, (client) => {
      const server = connect({ port, host: "127.0.0.1", noDelay: true });
      this.#pass(client, server, "client");
      this.#pass(server, client, "server");
    });
  }

  static async before({ port }: { readonly port: number }): Promise<Tap> {
    const tap = new Tap(port);
    tap.#tcp.listen(0, "127.0.0.1");
    await once(tap.#tcp, "listening");
    return tap;
  }

  connect(): Socket {
    return connect({ port: (this.#tcp.address() as AddressInfo).port, host: "127.0.0.1", noDelay: true });
  }

  /** "client send 1" and the like, with the producer's id. */
  get lines(): string[] {
    return this.said.map(({ by, command }) => `${by} ${command.type}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#tcp, "close");
    this.#tcp.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #pass(from: Socket, to: Socket, by: Said["by"]): void {
    const reader = new FrameReader();
    this.#sockets.add(from);
    from.on("error", () => {});
    from.on("close", () => to.destroy());
    from.on("data", (chunk: Buffer) => {
      reader.push(chunk);
      for (let frame = reader.next(); frame; frame = reader.next())
        this.said.push({ by, command: decodeFrame(frame).command, atMs: performance.now() });
      // What is not read there is not read here either.
      if (!to.write(chunk)) {
        from.pause();
        to.once("drain", () => from.resume());
      }
    });
  }
}
