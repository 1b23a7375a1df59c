import type { IncomingHttpHeaders } from "node:http";
import type { StableController } from "./stable-controller.ts";
import type { DispatchController, DispatchHandler } from "./undici.ts";

/** The body of a refusal is short. Where it is longer, the rest waits in the socket. */
const MOST_BYTES = 65_536;

/**
 * A refusal that is kept back while it is not known whether the request is made again. What arrives of it is kept, so
 * that its socket is free for others; it is handed on when it is the last word.
 */
export class HeldAnswer {
  readonly #source: DispatchController;
  readonly #head: readonly [status: number, headers: IncomingHttpHeaders, message: string | undefined];
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #end: ((handler: DispatchHandler, controller: DispatchController) => void) | undefined;

  constructor(source: DispatchController, status: number, headers: IncomingHttpHeaders, message: string | undefined) {
    this.#source = source;
    this.#head = [status, headers, message];
  }

  data(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MOST_BYTES) this.#source.pause();
  }

  ended(trailers: IncomingHttpHeaders): void {
    this.#end = (handler, controller) => handler.onResponseEnd?.(controller, trailers);
  }

  failed(error: Error): void {
    this.#end = (handler, controller) => handler.onResponseError?.(controller, error);
  }

  /** It is not wanted: another attempt is made. */
  drop(): void {
    if (this.#end === undefined) this.#source.abort(new DOMException("the request is made again", "AbortError"));
  }

  /** Hands on what was kept. The rest, if any, goes to the handler as it comes. */
  release(handler: DispatchHandler, controller: StableController): void {
    controller.connect(this.#source);
    handler.onResponseStart?.(controller, ...this.#head);
    for (const chunk of this.#chunks) handler.onResponseData?.(controller, chunk);
    if (this.#end) this.#end(handler, controller);
    else if (this.#bytes > MOST_BYTES && !controller.paused) this.#source.resume();
  }
}
