import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "../exit-code.ts";
import { faultOfSender, SAFE_HEADERS } from "./guard.ts";
import { answer, type Reply, type Routes, refusalOf } from "./routes.ts";

/** Larger headers are answered 431, in bytes. */
const MOST_HEADER_BYTES = 16_384;

/** The time for a whole request with its body, in milliseconds. */
const REQUEST_MS = 10_000;

/** Connections at a time: those of the streams, and what browsers open besides. */
const MOST_CONNECTIONS = 256;

/** The port where none is given; where it is taken, the next one that is free. */
export const USUAL_PORT = 7_373;
const TRIES = 50;

/** Serves the page and its requests on the loopback interface alone. */
export class ConsoleServer {
  readonly #server: Server;
  readonly #routes: Routes;

  constructor(routes: Routes) {
    this.#routes = routes;
    this.#server = createServer(
      {
        maxHeaderSize: MOST_HEADER_BYTES,
        requestTimeout: REQUEST_MS,
        headersTimeout: REQUEST_MS,
        keepAliveTimeout: 5_000,
        connectionsCheckingInterval: 1_000,
      },
      (request, response) => void this.#serve(request, response),
    );
    this.#server.maxConnections = MOST_CONNECTIONS;
  }

  /** The port that it listens on. */
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Begins to listen.
   * @param port this port alone, or 0 for any that is free; undefined: 7373, or the next one that is free
   * @throws Failure where it is taken
   */
  async listen(port: number | undefined): Promise<void> {
    for (let offset = 0; ; offset++) {
      const tried = port ?? USUAL_PORT + offset;
      const error = await this.#bind(tried);
      if (error === undefined) return;
      if (error.code !== "EADDRINUSE") throw new Failure(`cannot listen on 127.0.0.1:${tried}: ${error.message}`);
      if (port !== undefined)
        throw new Failure(
          `port ${tried} is taken by another program; give another one, or leave --port out for one that is free`,
        );
      if (offset === TRIES)
        throw new Failure(`the ports from ${USUAL_PORT} to ${tried} are taken; give one with --port, or 0 for any`);
    }
  }

  /** Accepts nothing more, and closes every connection. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #bind(port: number): Promise<NodeJS.ErrnoException | undefined> {
    // Not ::1 besides: the address that is printed names 127.0.0.1.
    this.#server.listen(port, "127.0.0.1");
    try {
      await once(this.#server, "listening");
      return undefined;
    } catch (error) {
      return error as NodeJS.ErrnoException;
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client that goes away is no fault of the console.
    request.on("error", () => {});
    response.on("error", () => {});
    try {
      const refusal = faultOfSender(request, this.port);
      const reply = refusal ? refusalOf(request, refusal) : await answer(request, response, this.#routes);
      if (reply !== "streams") send(request, response, reply);
    } catch (error) {
      send(request, response, {
        status: 500,
        type: "application/json",
        body: JSON.stringify({ error: this.#routes.textOf(error) }),
      });
    }
  }
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body, headers }: Reply): void {
  if (response.headersSent || response.destroyed) return;
  // What is left of a body that nothing reads would be taken for the next request.
  const close = request.complete ? {} : { Connection: "close" };
  response.writeHead(status, {
    ...{ ...SAFE_HEADERS, ...headers, ...close, "Content-Type": type },
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}
