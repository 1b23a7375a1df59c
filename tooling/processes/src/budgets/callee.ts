import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { machineNow } from "../machine-now.ts";

/** A call as the callee counts it; times by the machine's clock, in milliseconds. */
export interface CalleeCall {
  readonly worker: number;
  readonly lease: string;
  readonly beganMs: number;
  /** What the caller says it has reserved. */
  readonly reserved: number;
  /** What it has cost by now. */
  tokens: number;
  ended: boolean;
}

/** An output comes in so many parts. */
const PARTS = 4;

/**
 * What the fleet calls: counts what each call costs, from outside. It refuses nothing. The prompt counts as a call
 * begins, each part of the output as it is sent; it goes on for a caller that is gone. The last line of an answer
 * reports the usage.
 */
export class Callee implements AsyncDisposable {
  readonly calls: CalleeCall[] = [];
  /** While it is true, streams are cut in the middle. */
  cuts = false;
  cut = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const [, worker, lease = "", reserved, prompt, output, holdMs] = (request.url ?? "").split("/");
      const call = { worker: Number(worker), lease, beganMs: machineNow(), reserved: Number(reserved) };
      void this.#answer({ ...call, tokens: Number(prompt), ended: false }, Number(output), Number(holdMs), response);
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

  async #answer(call: CalleeCall, output: number, holdMs: number, response: ServerResponse): Promise<void> {
    this.calls.push(call);
    for (let part = 0; part < PARTS; part++) {
      await sleep(holdMs / PARTS);
      if (this.cuts && part === PARTS / 2) {
        this.cut += 1;
        call.ended = true;
        response.destroy();
        return;
      }
      call.tokens += output / PARTS;
      response.write(`${JSON.stringify({ part })}\n`);
    }
    call.ended = true;
    response.end(`${JSON.stringify({ usage: { tokens: call.tokens } })}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
