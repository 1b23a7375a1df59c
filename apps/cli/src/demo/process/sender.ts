import { Agent, request as httpRequest } from "node:http";
import type { LoadRequest } from "./requests.ts";
import { GRANTED_HEADER, WORKER_HEADER } from "./server.ts";

const ANSWER_WITHIN_MS = 5_000;

/** Sends requests to the demo's server over connections that are kept open. */
export class Sender {
  readonly #agent: Agent;
  readonly #port: number;
  readonly #worker: string;

  constructor(port: number, worker: number, connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#port = port;
    this.#worker = String(worker);
  }

  /** Resolves when the answer is there, whatever it says; rejects when there is none. */
  send({ method, path, headers, body }: LoadRequest, grantedMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({
        host: "127.0.0.1",
        port: this.#port,
        agent: this.#agent,
        method,
        path,
        headers: {
          ...(body === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
          ...headers,
          [WORKER_HEADER]: this.#worker,
          [GRANTED_HEADER]: String(grantedMs),
        },
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      request.once("error", reject);
      request.once("response", (response) => {
        response.once("error", reject);
        response.once("end", resolve);
        response.resume();
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
