import type { IncomingMessage, ServerResponse } from "node:http";
import type { Admission, Gate, Refused } from "../admission.ts";
import type { RequestFacts } from "../request-facts.ts";

/** What Node says of a request. */
export function factsOf<Raw>(message: IncomingMessage, raw: Raw, address = ""): RequestFacts<Raw> {
  return {
    method: message.method ?? "GET",
    url: message.url ?? "/",
    address,
    raw,
    header: (name) => {
      const value = message.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

/**
 * Decides on a request of Node's HTTP server. The slot is free when its answer was sent, or its connection closed:
 * the response hears of both.
 * @returns undefined when the client is gone: there is nobody to answer
 */
export async function admitExchange<Raw>(
  gate: Gate<Raw>,
  request: RequestFacts<Raw>,
  response: ServerResponse,
): Promise<Admission | undefined> {
  if (response.closed) return undefined;
  const left = new AbortController();
  let done: ((status?: number) => void) | undefined;
  response.once("close", () => {
    left.abort();
    done?.(response.writableFinished ? response.statusCode : undefined);
  });
  try {
    const admission = await gate.admit(request, left.signal);
    if (admission.allowed) done = admission.done;
    return admission;
  } catch (error) {
    if (left.signal.aborted) return undefined;
    throw error;
  }
}

/** Answers a request that is refused. */
export function answer({ status, fields, body }: Refused, response: ServerResponse): void {
  for (const [name, value] of fields) response.setHeader(name, value);
  response.statusCode = status;
  response.setHeader("Content-Length", Buffer.byteLength(body));
  response.end(body);
}
