import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { Connection } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import type { LinkFault } from "./link-fault.ts";

/** A TCP proxy in front of one server, with faults on request. Holds nothing back unless told to. */
export class FaultProxy {
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  readonly #host: string;
  #fault: LinkFault | undefined;
  #heard = 0;
  /** Bytes that clients may still send before everything stalls. */
  #allowance = Number.POSITIVE_INFINITY;

  private constructor(target: Endpoint, host: string) {
    this.#host = host;
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      const connection: Connection = new Connection(client, target, this.#fault, {
        request: (chunk, pass) => this.#request(chunk, pass),
        closed: () => this.#connections.delete(connection),
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

  get port(): number {
    return this.endpoint.port;
  }

  /** Bytes that clients have sent so far. */
  get heard(): number {
    return this.#heard;
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

  /** Lets so many more bytes of clients through; then everything stalls, in the middle of whatever they say. */
  stallAfter(bytes: number): void {
    this.#allowance = bytes;
  }

  /**
   * Mends the fault for connections to come. Those from before stay as they are for good, as behind a firewall that
   * forgot them.
   */
  strand(): void {
    this.#fault = undefined;
    for (const connection of this.#connections) connection.strand();
  }

  /**
   * Resets every connection on the client's side alone: the server still gets what was sent, and does not learn of it.
   */
  resetClients(): void {
    for (const connection of this.#connections) connection.resetClient();
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

  #request(chunk: Buffer, pass: (chunk: Buffer) => void): void {
    this.#heard += chunk.length;
    const allowed = this.#allowance;
    this.#allowance -= chunk.length;
    pass(chunk.subarray(0, allowed));
    if (this.#allowance > 0) return;
    this.#allowance = Number.POSITIVE_INFINITY;
    this.apply({ type: "stall" });
    pass(chunk.subarray(allowed));
  }
}
