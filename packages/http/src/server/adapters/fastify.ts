import type { IncomingMessage, ServerResponse } from "node:http";
import type { Gate } from "../admission.ts";
import { admitExchange, factsOf } from "./exchange.ts";

/** What is used of a request of Fastify. */
export interface FastifyRequestLike {
  /** The request of Node's server. */
  readonly raw: IncomingMessage;
  /** The client's address. */
  readonly ip: string;
  /** The path and the query, as the client sent them. */
  readonly originalUrl: string;
}

/** What is used of a reply of Fastify. */
export interface FastifyReplyLike {
  /** The answer of Node's server. */
  readonly raw: ServerResponse;
  /**
   * Sets a header.
   * @param name the header's name
   * @param value the header's value
   */
  header(name: string, value: string): unknown;
  /**
   * Sets the status code.
   * @param status the status code
   */
  code(status: number): unknown;
  /**
   * Sends the answer.
   * @param body the body
   */
  send(body?: unknown): unknown;
  /** Keeps Fastify from answering the request itself. */
  hijack(): unknown;
}

/** A hook `onRequest` of Fastify. */
export type FastifyHook = (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>;

export function fastifyHook<Raw>(gate: Gate<Raw>): () => FastifyHook {
  return () => async (request, reply) => {
    const facts = { ...factsOf(request.raw, request as Raw, request.ip), url: request.originalUrl };
    const admission = await admitExchange(gate, facts, reply.raw);
    // Fastify runs no handler for a reply that was taken from it, or that was sent.
    if (admission === undefined) {
      reply.hijack();
      return reply;
    }
    for (const [name, value] of admission.fields) reply.header(name, value);
    if (admission.allowed) return undefined;
    reply.code(admission.status);
    reply.send(admission.body);
    return reply;
  };
}
