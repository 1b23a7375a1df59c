import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { parseExactly } from "./exact-json.ts";
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
  /** Parsed if it is JSON, otherwise as text. */
  readonly body: unknown;
}

/** Makes calls; `close` ends its connections. */
export interface HttpCaller {
  /**
   * Rejects with {@link StatusError} for any status but 2xx, a `TimeoutError`, or what the connection says.
   */
  call(request: HttpRequest): Promise<Answer>;
  close(): void;
}

/** An answer that is longer is cut off: output files hold answers, not downloads. */
const LONGEST_ANSWER_BYTES = 1024 * 1024;

/**
 * Calls over connections that are kept.
 * @param timeoutMs from the sending of a request to the last byte of its answer
 */
export function httpCaller(timeoutMs: number): HttpCaller {
  const plain = new HttpAgent({ keepAlive: true });
  const secure = new HttpsAgent({ keepAlive: true });
  const call = ({ url, method, headers, body }: HttpRequest): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const isSecure = url.protocol === "https:";
      const sent = (isSecure ? httpsRequest : httpRequest)(url, { method, headers, agent: isSecure ? secure : plain });
      const late = setTimeout(() => {
        sent.destroy(new DOMException(`No answer within ${timeoutMs} ms`, "TimeoutError"));
      }, timeoutMs);
      sent.on("response", (answer) => {
        bodyOf(answer)
          .then((text) => resultOf(answer, text))
          .then(resolve, reject);
      });
      sent.on("error", reject);
      sent.on("close", () => clearTimeout(late));
      sent.end(body);
    });
  const close = (): void => {
    plain.destroy();
    secure.destroy();
  };
  return { call, close };
}

async function bodyOf(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > LONGEST_ANSWER_BYTES) throw new Error(`The answer is longer than ${LONGEST_ANSWER_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** @throws StatusError */
function resultOf({ statusCode: status = 0, headers }: IncomingMessage, text: string): Answer {
  if (status < 200 || status > 299) throw new StatusError(status, headers);
  return { status, headers, body: /[/+]json\b/.test(headers["content-type"] ?? "") ? parsedOr(text) : text };
}

/** What a callee calls JSON and is none is text. */
function parsedOr(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}
