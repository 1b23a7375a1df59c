import { invalidOption } from "@dt/core/internal";
import type { Admitted, Gate, Refused } from "../admission.ts";
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
      const facts = factsOf(request, request as Raw, address && (() => address(request, ...rest)));
      let admission: Admitted | Refused;
      try {
        admission = await gate.admit(facts, request.signal);
      } catch (error) {
        if (!request.signal.aborted) throw error;
        return new Response(null, { status: CLIENT_CLOSED_REQUEST });
      }
      if (!admission.allowed) return refusal(admission);
      return answered(admission, request, () => handler(request, ...rest));
    };
}

function factsOf<Raw>(request: Request, raw: Raw, address: (() => string | undefined) | undefined): RequestFacts<Raw> {
  return {
    method: request.method,
    url: request.url,
    raw,
    header: (name) => request.headers.get(name) ?? undefined,
    get address() {
      // Without an error everybody would be counted together, or nobody: neither is what was meant.
      if (!address) throw invalidOption("address", undefined, "give limit.fetch a function that finds it: { address }");
      return address() ?? "";
    },
  };
}

function refusal({ status, fields, body }: Refused): Response {
  return new Response(body, { status, headers: fields.map(([name, value]) => [name, value]) });
}

async function answered(
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
  if (response.body === null) {
    done(status);
    return new Response(null, { status, statusText, headers });
  }
  const body = whenRead(response.body, request.signal, (wasRead) => done(wasRead ? status : undefined));
  return new Response(body, { status, statusText, headers });
}
