import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";

// The part of undici's interface (7 and newer) that is needed: whoever has no undici needs none.

/** What a handler holds of its request. */
export interface DispatchController {
  readonly aborted: boolean;
  readonly paused: boolean;
  readonly reason: Error | null;
  rawHeaders?: Buffer[] | string[] | IncomingHttpHeaders | null;
  rawTrailers?: Buffer[] | string[] | IncomingHttpHeaders | null;
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** Whoever hears of a request's answer. */
export interface DispatchHandler {
  onRequestStart?(controller: DispatchController, context: unknown): void;
  onRequestUpgrade?(
    controller: DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void;
  onResponseStart?(
    controller: DispatchController,
    statusCode: number,
    headers: IncomingHttpHeaders,
    statusMessage?: string,
  ): void;
  onResponseData?(controller: DispatchController, chunk: Buffer): void;
  onResponseEnd?(controller: DispatchController, trailers: IncomingHttpHeaders): void;
  onResponseError?(controller: DispatchController, error: Error): void;
}

/** Sends a request. */
/** Makes one request, as undici's dispatchers do. */
// biome-ignore lint/suspicious/noExplicitAny: options and handlers of any version of undici go through unchanged.
export type Dispatch = (options: any, handler: any) => boolean;

/** What `compose` of an undici dispatcher takes. */
export type Interceptor = (dispatch: Dispatch) => Dispatch;
