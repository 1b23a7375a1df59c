import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A callee that takes as long as it is told to, and refuses as much as it is told to. */
export class Callee {
  /** How long an answer takes, in milliseconds. */
  takesMs = 0;
  /** One of so many requests is refused with 429 and `Retry-After: 1`; none with Infinity. */
  refusesOneOf = Number.POSITIVE_INFINITY;
  #requests = 0;
  readonly #server: Server = createServer(async (_, response) => {
    this.#requests += 1;
    const isRefused = this.#requests % this.refusesOneOf === 0;
    if (this.takesMs > 0) await sleep(this.takesMs);
    response.writeHead(isRefused ? 429 : 200, isRefused ? { "retry-after": "1" } : {}).end();
  });

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
