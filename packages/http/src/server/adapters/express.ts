import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gate } from "../admission.ts";
import { admitExchange, answer, factsOf } from "./exchange.ts";

/**
 * A request as Express has it. `ip` follows its setting `trust proxy`; `originalUrl` is the whole path, below a router
 * as well.
 */
export type ExpressRequest = IncomingMessage & { readonly ip?: string | undefined; readonly originalUrl?: string };

/** A middleware as Express and its relatives take it. */
export type Middleware = (request: ExpressRequest, response: ServerResponse, next: (error?: unknown) => void) => void;

export function expressMiddleware<Raw>(gate: Gate<Raw>): () => Middleware {
  return () => (request, response, next) => {
    const facts = factsOf(request, request as Raw, request.ip ?? request.socket.remoteAddress);
    const whole = { ...facts, url: request.originalUrl ?? facts.url };
    admitExchange(gate, whole, response).then((admission) => {
      if (admission === undefined) return;
      if (!admission.allowed) return answer(admission, response);
      for (const [name, value] of admission.fields) response.setHeader(name, value);
      next();
    }, next);
  };
}
