import type { AddressInfo } from "node:net";
import { connect as connectTo, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy that can go silent: nothing passes any more, no connection is closed or refused, as in a network that drops packets. */
export class SilentProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  #silent = false;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer({ allowHalfOpen: true }, (inner) => {
      const outer = connectTo({ host: target.host, port: target.port, allowHalfOpen: true });
      this.#clients.add(inner);
      for (const [from, to] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        this.#sockets.add(from);
        from.on("error", () => to.destroy());
        from.on("data", (data) => to.write(data));
        from.on("end", () => to.end());
        from.on("close", () => {
          this.#sockets.delete(from);
          this.#clients.delete(from);
          if (!this.#silent) to.destroy();
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

  /** Drops everything from now on. */
  silence(): void {
    this.#silent = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Lets new connections through; those from before the silence stay dead, as behind a firewall that forgot them. */
  heal(): void {
    this.#silent = false;
  }

  /** Delivers what was held back, on the old connections, as a network does that was only slow. */
  deliverLate(): void {
    this.#silent = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Resets every connection on the client's side; what it had sent is held back still. */
  resetClients(): void {
    for (const socket of this.#clients) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
