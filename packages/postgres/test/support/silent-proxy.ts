import type { AddressInfo } from "node:net";
import { connect as connectTo, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy that can go silent: nothing passes any more, no connection is closed or refused, as in a network that drops packets. */
export class SilentProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  /** Connections that were open when it went silent. */
  readonly #cutOff = new Set<Socket>();
  #silent = false;
  /** Bytes that clients have sent. */
  #heard = 0;
  /** Bytes that clients may still send before everything goes silent. */
  #allowance = Number.POSITIVE_INFINITY;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer({ allowHalfOpen: true }, (inner) => {
      const outer = connectTo({ host: target.host, port: target.port, allowHalfOpen: true });
      this.#clients.add(inner);
      for (const [from, to] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        this.#sockets.add(from);
        // Behind a network that drops packets one side does not learn that the other has gone, not even later.
        const unlessCutOff = (tell: () => unknown) => (): void => {
          if (!this.#cutOff.has(from)) tell();
        };
        from.on("error", () => {});
        from.on("data", (data) => this.#pass(data, from === inner, to));
        from.on(
          "end",
          unlessCutOff(() => to.end()),
        );
        from.on(
          "close",
          unlessCutOff(() => to.destroy()),
        );
        from.on("close", () => {
          this.#sockets.delete(from);
          this.#clients.delete(from);
        });
        if (this.#silent) from.pause();
      }
    });
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<SilentProxy> {
    const proxy = new SilentProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Bytes that clients have sent so far. */
  get heard(): number {
    return this.#heard;
  }

  /** Drops everything from now on. */
  silence(): void {
    this.#silent = true;
    for (const socket of this.#sockets) {
      socket.pause();
      this.#cutOff.add(socket);
    }
  }

  /** Lets so many more bytes of clients through and then goes silent, in the middle of whatever they say. */
  silenceAfter(bytes: number): void {
    this.#allowance = bytes;
  }

  /** Lets new connections through; those from before the silence stay dead, as behind a firewall that forgot them. */
  heal(): void {
    this.#silent = false;
    this.#allowance = Number.POSITIVE_INFINITY;
  }

  /** Delivers what was held back, on the old connections, as a network does that was only slow. */
  deliverLate(): void {
    this.#silent = false;
    this.#cutOff.clear();
    for (const socket of this.#sockets) socket.resume();
  }

  /** Resets every connection on the client's side; what it had sent is held back still. */
  resetClients(): void {
    for (const socket of this.#clients) socket.resetAndDestroy();
  }

  #pass(data: Buffer, fromClient: boolean, to: Socket): void {
    if (!fromClient) {
      to.write(data);
      return;
    }
    this.#heard += data.length;
    to.write(data.subarray(0, this.#allowance));
    this.#allowance -= data.length;
    if (this.#allowance <= 0) this.silence();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
