import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { machineNow } from "../machine-now.ts";

/** A call as the callee counts it; times by the machine's clock, in milliseconds. */
export interface CalleeCall {
  readonly worker: number;
  readonly beganMs: number;
  /** Infinity while it runs. */
  endedMs: number;
}

/**
 * What the fleet calls: counts the calls in flight, from outside. It ends a call when the time that the caller named is
 * over, or when the caller is gone; where the caller named the call `deaf`, it goes on for a caller that is gone.
 */
export class Callee implements AsyncDisposable {
  readonly calls: CalleeCall[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const [, worker, holdMs, deaf] = (request.url ?? "").split("/");
      const call = { worker: Number(worker), beganMs: machineNow(), endedMs: Number.POSITIVE_INFINITY };
      this.calls.push(call);
      const end = (): void => {
        if (call.endedMs === Number.POSITIVE_INFINITY) call.endedMs = machineNow();
      };
      const timer = setTimeout(() => {
        end();
        response.end("done");
      }, Number(holdMs));
      if (deaf === "deaf") return;
      response.on("close", () => {
        clearTimeout(timer);
        end();
      });
    });
    this.#server.keepAliveTimeout = 0;
  }

  static async listen(): Promise<Callee> {
    const callee = new Callee();
    await new Promise<void>((resolve) => callee.#server.listen(0, "127.0.0.1", resolve));
    return callee;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Calls in flight now. */
  get inFlight(): number {
    return this.calls.reduce((sum, { endedMs }) => sum + (endedMs === Number.POSITIVE_INFINITY ? 1 : 0), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
