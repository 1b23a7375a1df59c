import type { ServerResponse } from "node:http";
import { cut, json } from "./json.ts";

/** The ways to answer one request. One of them is used, once. */
export interface Reply {
  /**
   * 200.
   * @param complete called right before the last of the answer is sent
   * @returns where the answer takes its time: resolves when all of it was sent
   */
  accept(complete: () => void): Promise<void> | undefined;
  /** 429. @param retryAfterMs when to come again, in milliseconds */
  throttle(retryAfterMs: number): void;
  /** 500 */
  fail(): void;
  /** 503: too many wait for a worker. */
  shed(): void;
  /** 200, and the end of the connection in the middle of the answer. @returns as of `accept` */
  cut(): Promise<void> | undefined;
  /** The client has left, and no more is done for it. */
  abandon(): void;
}

/** Seconds as `Retry-After` has them: a client that waits for so long does not come too early. */
export function retryAfter(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

/** The answers of a service of no particular kind. */
export class PlainReply implements Reply {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  accept(complete: () => void): undefined {
    complete();
    json(this.#response, 200, { ok: true });
  }

  throttle(retryAfterMs: number): void {
    this.#response.setHeader("Retry-After", retryAfter(retryAfterMs));
    json(this.#response, 429, { error: "throttled, as the options state" });
  }

  fail(): void {
    json(this.#response, 500, { error: "failed, as the options state" });
  }

  shed(): void {
    this.#response.setHeader("Retry-After", "1");
    json(this.#response, 503, { error: "too many requests wait for a worker" });
  }

  cut(): undefined {
    cut(this.#response);
  }

  abandon(): void {
    // Nothing of it goes on by itself.
  }
}
