import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Gate } from "../admission.ts";
import { admitExchange, answer, factsOf } from "./exchange.ts";

/** Makes a listener for Node's HTTP server of another one. */
export type NodeListener = (listener: RequestListener) => RequestListener;

export function nodeListener<Raw>(gate: Gate<Raw>): NodeListener {
  return (listener) => {
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const facts = factsOf(request, request as Raw, request.socket.remoteAddress);
      const admission = await admitExchange(gate, facts, response).catch((error: unknown) => {
        // Nobody else answers: without this the client would wait for ever.
        response.writeHead(500).end();
        throw error;
      });
      if (admission === undefined) return;
      if (!admission.allowed) return answer(admission, response);
      for (const [name, value] of admission.fields) response.setHeader(name, value);
      listener(request, response as Parameters<RequestListener>[1]);
    };
    return (request, response) => void handle(request, response);
  };
}
