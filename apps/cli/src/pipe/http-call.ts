import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { whenAborted } from "@dt/core/internal";
import { bodyOf, discard } from "./answer-body.ts";
import type { HttpRequest } from "./request.ts";

/** The callee answered, but not with success. */
export class StatusError extends Error {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;

  constructor(status: number, headers: IncomingHttpHeaders) {
    super(`Server returned HTTP response code: ${status}`);
    this.name = "StatusError";
    this.status = status;
    this.headers = headers;
  }
}

/** The callee answered with success. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Parsed if it is JSON, otherwise as text; what is neither as a `Binary`. */
  readonly body: unknown;
}

/** Makes calls; `close` ends its connections. */
export interface HttpCaller {
  /**
   * Rejects with {@link StatusError} for any status but 2xx, a `TimeoutError`, the signal's reason, or what the
   * connection says.
   */
  call(request: HttpRequest, signal: AbortSignal): Promise<Answer>;
  close(): void;
}

/**
 * Calls over connections that are kept.
 * @param timeoutMs from the sending of a request to the last byte of its answer
 */
export function httpCaller(timeoutMs: number): HttpCaller {
  const plain = new HttpAgent({ keepAlive: true });
  const secure = new HttpsAgent({ keepAlive: true });
  const call = ({ url, method, headers, body }: HttpRequest, signal: AbortSignal): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const isSecure = url.protocol === "https:";
      const sent = (isSecure ? httpsRequest : httpRequest)(url, { method, headers, agent: isSecure ? secure : plain });
      const late = setTimeout(() => {
        sent.destroy(new DOMException(`No answer within ${timeoutMs} ms`, "TimeoutError"));
      }, timeoutMs);
      sent.on("response", (answer) => {
        resultOf(answer).then(resolve, reject);
      });
      sent.on("error", reject);
      const end = (): void => void sent.destroy(signal.reason);
      const stopListening = whenAborted(signal, end);
      if (signal.aborted) end();
      sent.on("close", () => {
        clearTimeout(late);
        stopListening();
      });
      sent.end(body);
    });
  const close = (): void => {
    plain.destroy();
    secure.destroy();
  };
  return { call, close };
}

/** @throws StatusError, or what the connection says */
async function resultOf(answer: IncomingMessage): Promise<Answer> {
  const { statusCode: status = 0, headers } = answer;
  if (status >= 200 && status <= 299) return { status, headers, body: await bodyOf(answer) };
  await discard(answer);
  throw new StatusError(status, headers);
}
