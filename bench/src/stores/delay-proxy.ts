import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { CoordinationStore } from "@dt/core";
import type { DelayedStore } from "./bench-store.ts";

/**
 * A TCP proxy that holds everything back for so long. What a call takes longer then, in round trips of the delay, is the number of round
 * trips that it makes one after the other, whatever it says to the server meanwhile.
 */
export class DelayProxy {
  eachWayMs = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#server = createServer((inner) => {
      const outer = connect({ host: target.host, port: target.port });
      for (const [from, to] of [
        [inner, outer],
        [outer, inner],
      ] as const) {
        from.setNoDelay(true);
        this.#sockets.add(from);
        from.on("data", (data) => this.#later(() => to.writable && to.write(data)));
        from.on("end", () => this.#later(() => to.end()));
        from.on("error", () => to.destroy());
        from.on("close", () => {
          this.#sockets.delete(from);
          to.destroySoon();
        });
      }
    });
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<DelayProxy> {
    const proxy = new DelayProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Timers of one length fire in the order in which they were set, so that nothing overtakes; a change of the delay is made while nothing is under way. */
  #later(act: () => void): void {
    if (this.eachWayMs === 0) act();
    else setTimeout(act, this.eachWayMs);
  }
}

/** A store that reaches each of some servers through a proxy of its own. */
export async function delayedStore(
  targets: readonly { readonly host: string; readonly port: number }[],
  connectStore: (ports: readonly number[]) => CoordinationStore,
): Promise<DelayedStore> {
  const proxies = await Promise.all(targets.map((target) => DelayProxy.start(target)));
  const store = connectStore(proxies.map(({ port }) => port));
  return {
    store,
    delay(eachWayMs) {
      for (const proxy of proxies) proxy.eachWayMs = eachWayMs;
    },
    async stop() {
      await store.close();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}
