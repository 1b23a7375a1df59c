import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/**
 * A TCP proxy that can keep things to itself: `silent` carries nothing either way, `deaf` carries requests and no answers. No connection is
 * closed or refused by that, as in a network that drops packets; `heal` resets those from before.
 */
export class TcpProxy {
  readonly #server: Server;
  readonly #pairs = new Set<{ readonly inner: Socket; readonly outer: Socket }>();
  #state: "open" | "silent" | "deaf" = "open";

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((inner) => {
      const outer = connect({ host: target.host, port: target.port });
      const pair = { inner, outer };
      this.#pairs.add(pair);
      inner.on("data", (data) => outer.write(data));
      outer.on("data", (data) => inner.write(data));
      for (const socket of [inner, outer]) {
        socket.on("error", () => {});
        socket.on("close", () => {
          inner.destroy();
          outer.destroy();
          this.#pairs.delete(pair);
        });
      }
      this.#apply(pair);
    });
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  silence(): void {
    this.#become("silent");
  }

  deafen(): void {
    this.#become("deaf");
  }

  heal(): void {
    this.#state = "open";
    for (const { inner, outer } of this.#pairs) {
      inner.resetAndDestroy();
      outer.destroy();
    }
  }

  async stop(): Promise<void> {
    for (const { inner, outer } of this.#pairs) {
      inner.destroy();
      outer.destroy();
    }
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #become(state: "silent" | "deaf"): void {
    this.#state = state;
    for (const pair of this.#pairs) this.#apply(pair);
  }

  #apply({ inner, outer }: { readonly inner: Socket; readonly outer: Socket }): void {
    if (this.#state === "silent") inner.pause();
    if (this.#state !== "open") outer.pause();
  }
}
