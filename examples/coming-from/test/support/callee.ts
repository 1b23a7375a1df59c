import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a callee has seen of its callers. */
export interface Callee extends AsyncDisposable {
  readonly url: string;
  /** Calls that it has answered. */
  readonly calls: number;
  /** The most calls that it had in work at the same time. */
  readonly mostInFlight: number;
  /** The most calls that came within a time, in milliseconds, wherever it begins. */
  mostWithin(windowMs: number): number;
}

/**
 * A server that counts its calls.
 * @param workMs how long it works on each call, in milliseconds
 */
export async function startCallee(workMs: number): Promise<Callee> {
  const at: number[] = [];
  let [inFlight, mostInFlight, calls] = [0, 0, 0];
  const server = createServer((_, response) => {
    at.push(performance.now());
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    setTimeout(() => {
      inFlight -= 1;
      calls += 1;
      response.end("text");
    }, workMs);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get calls() {
      return calls;
    },
    get mostInFlight() {
      return mostInFlight;
    },
    mostWithin: (windowMs) =>
      Math.max(0, ...at.map((from) => at.filter((time) => time >= from && time < from + windowMs).length)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
