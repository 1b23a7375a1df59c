import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Http2Bindings, type HttpBindings, serve as serveHono } from "@hono/node-server";
import express from "express";
import { fastify } from "fastify";
import { Hono, type MiddlewareHandler } from "hono";
import { onTestFinished } from "vitest";
import type { ServerLimit } from "../../../src/server/index.ts";

/** What a route does: gives a text, fails, or sends a text in parts. */
export type Route = () => string | Promise<string> | AsyncIterable<string>;

/** Starts a server of one kind that has the route `/` behind the limit; returns its address. It ends with the test. */
export type Serve = (limit: ServerLimit, route: Route) => Promise<string>;

const plain = (route: Route): RequestListener => {
  return async (_, response) => {
    const made = route();
    if (typeof made === "string" || made instanceof Promise) {
      try {
        response.end(await made);
      } catch {
        response.writeHead(500).end();
      }
    } else {
      for await (const part of made) if (!response.destroyed) response.write(part);
      response.end();
    }
  };
};

async function addressOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

export const KINDS: Readonly<Record<"node" | "express" | "fastify" | "fetch" | "hono", Serve>> = {
  node: (limit, route) => addressOf(createServer(limit.node(plain(route))).listen(0, "127.0.0.1")),

  express: (limit, route) => {
    const app = express();
    app.use(limit.express());
    app.all("/", async (request, response) => {
      const made = route();
      if (typeof made === "string" || made instanceof Promise) response.send(await made);
      else plain(() => made)(request, response as never);
    });
    return addressOf(app.listen(0, "127.0.0.1"));
  },

  fastify: async (limit, route) => {
    const app = fastify();
    app.addHook("onRequest", limit.fastify());
    app.addContentTypeParser("*", (_request, body, done) => {
      body.resume();
      body.on("end", () => done(null));
    });
    app.all("/", async (request, reply) => {
      const made = route();
      if (typeof made === "string" || made instanceof Promise) return made;
      reply.hijack();
      plain(() => made)(request.raw, reply.raw as never);
      return reply;
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => app.close());
    return addressOf(app.server);
  },

  fetch: (limit, route) => {
    const app = honoApp(route);
    const fetch = limit.fetch((request: Request, env: HttpBindings | Http2Bindings) => app.fetch(request, env), {
      address: (_, { incoming }) => incoming.socket.remoteAddress,
    });
    return onNode(fetch);
  },

  hono: (limit, route) => onNode(honoApp(route, limit.hono()).fetch),
};

function honoApp(route: Route, ...middleware: MiddlewareHandler[]): Hono {
  const app = new Hono();
  app.onError(() => new Response("failed", { status: 500 }));
  for (const one of middleware) app.use(one);
  app.all("/", async (context) => {
    const made = route();
    if (typeof made === "string" || made instanceof Promise) return context.text(await made);
    return new Response(ReadableStream.from(encoded(made)));
  });
  return app;
}

/** A handler of fetch, on Node's server. */
function onNode(fetch: Parameters<typeof serveHono>[0]["fetch"]): Promise<string> {
  // It replaces the process's own, which tests after this one are about.
  const { Request: OwnRequest, Response: OwnResponse } = globalThis;
  onTestFinished(() => void Object.assign(globalThis, { Request: OwnRequest, Response: OwnResponse }));
  return addressOf(serveHono({ fetch, port: 0, hostname: "127.0.0.1" }) as Server);
}

async function* encoded(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const part of parts) yield new TextEncoder().encode(part);
}
