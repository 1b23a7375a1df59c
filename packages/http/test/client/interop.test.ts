import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { statedLimits } from "@dt/adaptive";
import fastifyLimit from "@fastify/rate-limit";
import { serve } from "@hono/node-server";
import express from "express";
import { rateLimit } from "express-rate-limit";
import fastify from "fastify";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/index.ts";
import { type Send, senders } from "../support/senders.ts";
import { atEnd } from "../support/serving.ts";

/** Each of these servers takes so many requests in a window, and refuses the rest of it. */
const QUOTA = 5;
const WINDOW_MS = 1_000;

/** What a server says of its requests, in the order in which it answered them. */
interface Log {
  readonly at: number[];
  readonly status: number[];
}

interface Served {
  readonly url: string;
  readonly log: Log;
}

/** Does something at the end of a test: of its own, since these run side by side. */
type AtEnd = (end: () => void | Promise<void>) => void;

async function withExpress(end: AtEnd, options: Parameters<typeof rateLimit>[0]): Promise<Served> {
  const log: Log = { at: [], status: [] };
  const app = express();
  app.use((_, response, next) => {
    response.on("finish", () => {
      log.at.push(performance.now());
      log.status.push(response.statusCode);
    });
    next();
  });
  app.use(rateLimit({ windowMs: WINDOW_MS, limit: QUOTA, ...options }));
  app.get("/", (_, response) => void response.send("ok"));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  end(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, log };
}

async function withFastify(end: AtEnd, options: object): Promise<Served> {
  const log: Log = { at: [], status: [] };
  const app = fastify();
  app.addHook("onResponse", async (_, reply) => {
    log.at.push(performance.now());
    log.status.push(reply.statusCode);
  });
  await app.register(fastifyLimit, { max: QUOTA, timeWindow: WINDOW_MS, ...options });
  app.get("/", async () => "ok");
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  end(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  return { url: `${url}/`, log };
}

async function withHono(end: AtEnd, standardHeaders: "draft-6" | "draft-7"): Promise<Served> {
  const log: Log = { at: [], status: [] };
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    log.at.push(performance.now());
    log.status.push(context.res.status);
  });
  app.use(rateLimiter({ windowMs: WINDOW_MS, limit: QUOTA, standardHeaders, keyGenerator: () => "everybody" }));
  app.get("/", (context) => context.text("ok"));
  const server = serve({ fetch: app.fetch, overrideGlobalObjects: false, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  end(() => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, log };
}

/** Everything is tried again that was refused: so that all of it succeeds in the end. */
const PERSISTENT = { retries: 9, ratio: 1 };

const SERVERS: Readonly<Record<string, (end: AtEnd) => Promise<Served>>> = {
  "express-rate-limit, X-RateLimit with a time": (end) =>
    withExpress(end, { legacyHeaders: true, standardHeaders: false }),
  "express-rate-limit, draft 6": (end) => withExpress(end, { legacyHeaders: false, standardHeaders: "draft-6" }),
  "express-rate-limit, draft 7": (end) => withExpress(end, { legacyHeaders: false, standardHeaders: "draft-7" }),
  "express-rate-limit, draft 8": (end) => withExpress(end, { legacyHeaders: false, standardHeaders: "draft-8" }),
  "express-rate-limit, all at once": (end) => withExpress(end, { legacyHeaders: true, standardHeaders: "draft-8" }),
  "@fastify/rate-limit, X-RateLimit with seconds": (end) => withFastify(end, {}),
  "@fastify/rate-limit, draft 6": (end) => withFastify(end, { enableDraftSpec: true }),
  "@fastify/rate-limit, Retry-After alone": (end) =>
    withFastify(end, {
      addHeaders: { "x-ratelimit-limit": false, "x-ratelimit-remaining": false, "x-ratelimit-reset": false },
      addHeadersOnExceeding: { "x-ratelimit-limit": false, "x-ratelimit-remaining": false, "x-ratelimit-reset": false },
    }),
  "hono-rate-limiter, draft 6": (end) => withHono(end, "draft-6"),
  "hono-rate-limiter, draft 7": (end) => withHono(end, "draft-7"),
};

const refusals = ({ status }: Log): number => status.filter((code) => code === 429).length;

/** So many requests, several at a time; all have to succeed in the end. */
async function sendAll(send: Send, url: string, count: number, atOnce: number): Promise<void> {
  let begun = 0;
  const worker = async (): Promise<void> => {
    while (begun++ < count) {
      const answer = await send(url);
      expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

describe.concurrent.each(Object.entries(SERVERS))("%s:", (mode, server) => {
  // Who says only in a refusal what it can take, has to refuse one request in each window.
  const silent = mode.endsWith("alone");

  it("a client that makes one request after the other is refused none", async ({ onTestFinished, expect }) => {
    const { url, log } = await server(onTestFinished);
    const heard: number[] = [];
    const client = createHttpClient();
    client.on("paused", ({ status }) => heard.push(status));
    // On a slow machine not every window is used up: until two were.
    do await sendAll((address) => client.fetch(address), url, 2 * QUOTA + 1, 1);
    while (heard.length < 2);
    expect(new Set(heard)).toEqual(new Set([silent ? 429 : 200]));
    expect(refusals(log)).toBe(silent ? heard.length : 0);
  });

  it("a client that makes twenty at a time is refused only what was on its way when it was told", async ({
    onTestFinished,
    expect,
  }) => {
    const { url, log } = await server(onTestFinished);
    const sentAt: number[] = [];
    const pauses: { from: number; to: number }[] = [];
    let arrivedMs = 0;
    const counting: typeof fetch = async (...call) => {
      sentAt.push(performance.now());
      const response = await fetch(...call);
      arrivedMs = performance.now();
      return response;
    };
    const client = createHttpClient({ fetch: counting, retry: PERSISTENT });
    // It began before it was told of, and after the answer was there. By our own clock: what the client makes of it is
    // asked here.
    client.on("paused", ({ forMs }) => pauses.push({ from: performance.now(), to: arrivedMs + forMs }));
    await sendAll((address) => client.fetch(address), url, 20, 20);
    expect(pauses.length).toBeGreaterThanOrEqual(2);
    for (const { from, to } of pauses) expect(sentAt.filter((at) => at > from && at < to)).toEqual([]);
    // The first twenty went out before anybody had said anything. After a pause one goes first, and as many follow as
    // are left.
    expect(refusals(log)).toBeLessThanOrEqual(silent ? 20 - QUOTA + 3 * QUOTA : 20 - QUOTA);
  });

  it("its limit is read from an answer, and its wait from a refusal", async ({ onTestFinished, expect }) => {
    const { url } = await server(onTestFinished);
    // Whole seconds are rounded up, and compared with a `Date` that is rounded down.
    const mostMs = WINDOW_MS + 1_000;
    const ask = async () => {
      const response = await fetch(url);
      await response.text();
      return { status: response.status, stated: statedLimits(response) };
    };
    const { stated: first } = await ask();
    expect(first).toMatchObject({ retryAfterMs: undefined, refused: false, ignored: 0 });
    expect(first.limits.length > 0).toBe(!silent);
    for (const { limit, remaining, resetMs = -1 } of first.limits) {
      expect([limit, remaining]).toEqual([QUOTA, QUOTA - 1]);
      expect(resetMs >= 0 && resetMs <= mostMs).toBe(true);
    }
    let answer = await ask();
    while (answer.status !== 429) answer = await ask();
    const { refused, retryAfterMs = -1, ignored } = answer.stated;
    expect({ refused, ignored }).toEqual({ refused: true, ignored: 0 });
    expect(retryAfterMs >= 0 && retryAfterMs <= mostMs).toBe(true);
  });
});

describe.each(Object.entries(senders).slice(1))("the interceptor with %s", (_, through) => {
  it("is refused only what was on its way when it was told", async () => {
    const { url, log } = await withExpress(atEnd, { standardHeaders: "draft-8", legacyHeaders: false });
    await sendAll(through(createHttpClient({ retry: PERSISTENT })), url, 20, 20);
    expect(refusals(log)).toBeLessThanOrEqual(20 - QUOTA);
  });
});

describe("fetch alone", () => {
  it("is refused most of what it sends, which is what this is for", async () => {
    const { url, log } = await withExpress(atEnd, { standardHeaders: "draft-8", legacyHeaders: false });
    const ends: number[] = [];
    for (let n = 0; n < 20; n++) ends.push((await fetch(url)).status);
    expect(ends.filter((status) => status === 429)).toHaveLength(20 - QUOTA);
    expect(refusals(log)).toBe(20 - QUOTA);
  });
});
