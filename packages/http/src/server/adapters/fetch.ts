import { invalidOption } from "@dt/core/internal";
import type { Admission, Admitted, Gate, Refused } from "../admission.ts";
import type { RequestFacts } from "../request-facts.ts";
import { whenRead } from "./body.ts";

/** A handler as Hono, Bun, Deno and many others have it. What follows the request is handed on. */
export type FetchHandler<Rest extends unknown[]> = (request: Request, ...rest: Rest) => Response | Promise<Response>;

/**
 * Makes a handler of another one. `address` finds the address of the client, which a `Request` does not have. It is
 * called when a key asks for it.
 */
export type FetchWrapper = <Rest extends unknown[]>(
  handler: FetchHandler<Rest>,
  options?: { readonly address?: (request: Request, ...rest: Rest) => string | undefined },
) => (request: Request, ...rest: Rest) => Promise<Response>;

/** Nobody reads it: the client is gone. The status is the one nginx writes in its log. */
const CLIENT_CLOSED_REQUEST = 499;

export function fetchHandler<Raw>(gate: Gate<Raw>): FetchWrapper {
  return (handler, { address } = {}) =>
    async (request, ...rest) => {
      const facts = fetchFacts(request, request as Raw, () => {
        // Without an error everybody would be counted together, or nobody: neither is what was meant.
        if (!address)
          throw invalidOption("address", undefined, "give limit.fetch a function that finds it: { address }");
        return address(request, ...rest);
      });
      const admission = await admitRequest(gate, facts, request.signal);
      if (admission instanceof Response) return admission;
      if (!admission.allowed) return refusal(admission);
      return answered(admission, request, () => handler(request, ...rest));
    };
}

/** What a `Request` says of itself; its sender's address is found once a key asks for it. */
export function fetchFacts<Raw>(request: Request, raw: Raw, address: () => string | undefined): RequestFacts<Raw> {
  return {
    method: request.method,
    url: request.url,
    raw,
    header: (name) => request.headers.get(name) ?? undefined,
    get address() {
      return address() ?? "";
    },
  };
}

/** Decides on a request; the answer that nobody reads where its client is gone. */
export async function admitRequest<Raw>(
  gate: Gate<Raw>,
  facts: RequestFacts<Raw>,
  signal: AbortSignal,
): Promise<Admission | Response> {
  try {
    return await gate.admit(facts, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return new Response(null, { status: CLIENT_CLOSED_REQUEST });
  }
}

/** The answer of a request that is refused. */
export function refusal({ status, fields, body }: Refused): Response {
  return new Response(body, { status, headers: fields.map(([name, value]) => [name, value]) });
}

/** The answer of a request that is worked on, with the headers of its limit. Its end is told once its body was read. */
export async function answered(
  { fields, done }: Admitted,
  request: Request,
  handle: () => Response | Promise<Response>,
): Promise<Response> {
  let response: Response;
  try {
    response = await handle();
  } catch (error) {
    done(500);
    throw error;
  }
  // A response of fetch cannot be changed, so it is made anew.
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  for (const [name, value] of fields) headers.append(name, value);
  // Frameworks drop the body of an answer to HEAD without a word.
  if (response.body === null || request.method === "HEAD") {
    void response.body?.cancel().catch(() => undefined);
    done(status);
    return new Response(null, { status, statusText, headers });
  }
  const body = whenRead(response.body, request.signal, (wasRead) => done(wasRead ? status : undefined));
  return new Response(body, { status, statusText, headers });
}
