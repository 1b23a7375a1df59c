import { invalidOption } from "@dt/core/internal";
import type { Gate } from "../admission.ts";
import { admitRequest, answered, fetchFacts, refusal } from "./fetch.ts";

/** What is used of a context of Hono. */
export interface HonoContextLike {
  /** The request. */
  readonly req: { readonly raw: Request };
  /** What the server hands over beside the request; `@hono/node-server` has Node's request there. */
  readonly env: unknown;
  /** The answer, once the handler has given one. */
  get res(): Response;
  /**
   * Sets the answer.
   * @param response the answer; undefined takes back the one that is there
   */
  set res(response: Response | undefined);
}

/** A middleware of Hono. */
export type HonoMiddleware<Context extends HonoContextLike = HonoContextLike> = (
  context: Context,
  next: () => Promise<void>,
) => Promise<Response | undefined>;

/**
 * Makes a middleware of Hono. `address` finds the address of the client where the server is not `@hono/node-server`,
 * whose requests have one. It is called when a key asks for it.
 */
export type HonoAdapter = <Context extends HonoContextLike = HonoContextLike>(options?: {
  readonly address?: (context: Context) => string | undefined;
}) => HonoMiddleware<Context>;

export function honoMiddleware<Raw>(gate: Gate<Raw>): HonoAdapter {
  return ({ address = nodeAddress } = {}) =>
    async (context, next) => {
      const request = context.req.raw;
      const facts = fetchFacts(request, context as unknown as Raw, () => address(context));
      const admission = await admitRequest(gate, facts, request.signal);
      if (admission instanceof Response) return admission;
      if (!admission.allowed) return refusal(admission);
      const response = await answered(admission, request, async () => {
        await next();
        return context.res;
      });
      // An answer that is there already would hand its headers on to the next one, and have them twice.
      context.res = undefined;
      context.res = response;
      return undefined;
    };
}

function nodeAddress({ env }: HonoContextLike): string | undefined {
  const { incoming } = (env ?? {}) as { readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } } };
  if (incoming?.socket) return incoming.socket.remoteAddress;
  // Without an error everybody would be counted together, or nobody: neither is what was meant.
  throw invalidOption("address", undefined, "give limit.hono a function that finds it: { address }");
}
