import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { Connection } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import type { LinkFault } from "./link-fault.ts";

/** A TCP proxy in front of one server, for one worker, with faults on request. Holds nothing back unless told to. */
export class FaultProxy {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #host: string;
  #fault: LinkFault | undefined;

  private constructor(target: Endpoint, host: string) {
    this.#host = host;
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      const connection: Connection = new Connection(client, target, this.#fault, () => {
        this.#connections.delete(connection);
      });
      this.#connections.add(connection);
    });
  }

  /** Listens on a free port of `host`. */
  static async listen(target: Endpoint, host = "127.0.0.1"): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, host);
    proxy.#server.listen(0, host);
    await once(proxy.#server, "listening");
    return proxy;
  }

  get endpoint(): Endpoint {
    return { host: this.#host, port: (this.#server.address() as AddressInfo).port };
  }

  /** Connections that are open, on one side at least. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Puts a fault into effect for all connections, now and to come; `undefined` mends it. */
  apply(fault: LinkFault | undefined): void {
    this.#fault = fault;
    for (const connection of [...this.#connections]) connection.apply(fault);
  }

  /** Resets every connection. */
  reset(): void {
    for (const connection of [...this.#connections]) connection.reset();
  }

  /** Resets everything and listens no more. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.reset();
    await closed;
  }
}
