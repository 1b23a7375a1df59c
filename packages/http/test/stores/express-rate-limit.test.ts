import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { MemoryStore } from "@dt/core";
import { createKeyed } from "@dt/keyed";
import express from "express";
import { type Options, rateLimit } from "express-rate-limit";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { describe, expect, onTestFinished, test } from "vitest";
import { expressRateLimitStore } from "../../src/stores/index.ts";
import { calls } from "./support/calls.ts";

/** An Express server that is limited; returns its address. */
async function serve(...limits: Partial<Options>[]): Promise<string> {
  const app = express();
  for (const options of limits)
    app.use(rateLimit({ windowMs: 60_000, standardHeaders: "draft-7", legacyHeaders: false, ...options }));
  app.get("/", (_, response) => void response.send("hello"));
  const server: Server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe("express-rate-limit", () => {
  test("servers count together, and each tells what is left of all", async () => {
    const store = new MemoryStore();
    const make = () => serve({ limit: 3, store: expressRateLimitStore({ store, name: "api" }) });
    const [one, other] = [await make(), await make()];
    const answers = [];
    for (const url of [one, other, one, other]) {
      const { status, headers } = await fetch(url);
      answers.push(`${status} ${headers.get("ratelimit")} ${headers.get("retry-after")}`);
    }
    expect(answers).toEqual([
      "200 limit=3, remaining=2, reset=60 null",
      "200 limit=3, remaining=1, reset=60 null",
      "200 limit=3, remaining=0, reset=60 null",
      "429 limit=3, remaining=0, reset=60 60",
    ]);
  });

  test("all requests of a turn travel in one call, and each is counted", async () => {
    const { store, sizes } = calls();
    const hits = expressRateLimitStore({ store, name: "api" });
    hits.init({ windowMs: 60_000 });
    const counted = await Promise.all(["a", "b", "a", "c"].map((key) => hits.increment(key)));
    expect(counted.map(({ totalHits }) => totalHits)).toEqual([1, 1, 2, 1]);
    expect(sizes).toEqual([4]);
  });

  test("they travel with keyed limits of the same store", async () => {
    const { store, sizes } = calls();
    const hits = expressRateLimitStore({ store, name: "hits" });
    hits.init({ windowMs: 60_000 });
    const limits = createKeyed({ name: "calls", store, limit: { rate: "5/s" } });
    await Promise.all([hits.increment("a"), limits.check("a")]);
    expect(sizes).toEqual([2]);
    expect(await limits.peek("a")).toMatchObject({ remaining: 4 });
    await limits.stop();
  });

  test("hits are taken back, looked at and forgotten", async () => {
    const store = new MemoryStore();
    const hits = expressRateLimitStore({ store, name: "api" });
    hits.init({ windowMs: 60_000 });
    expect(await hits.get("a")).toBeUndefined();
    await hits.increment("a");
    await hits.increment("a");
    await hits.decrement("a");
    expect(await hits.get("a")).toEqual({ totalHits: 1, resetTime: expect.any(Date) });
    await hits.resetKey("a");
    expect(await hits.get("a")).toBeUndefined();
    await hits.decrement("a");
    expect((await hits.increment("a")).totalHits).toBe(1);
  });

  test("requests that succeed are not counted where the middleware takes them back", async () => {
    const store = expressRateLimitStore({ store: new MemoryStore(), name: "api" });
    const url = await serve({ limit: 1, store, skipSuccessfulRequests: true });
    for (let n = 0; n < 3; n++) {
      expect((await fetch(url)).status).toBe(200);
      await expect.poll(async () => (await store.get("127.0.0.1"))?.totalHits).toBe(0);
    }
  });

  test("limiters of two names count the same client apart, and the middleware does not complain", async () => {
    const shared = new MemoryStore();
    const warned: unknown[] = [];
    const { error } = console;
    console.error = (...told: unknown[]) => void warned.push(told);
    onTestFinished(() => void Object.assign(console, { error }));
    const limit = (name: string, most: number) => ({
      limit: most,
      store: expressRateLimitStore({ store: shared, name }),
    });
    const url = await serve(limit("second", 5), limit("minute", 2));
    const statuses = [];
    for (let n = 0; n < 3; n++) statuses.push((await fetch(url)).status);
    expect(statuses).toEqual([200, 200, 429]);
    expect(warned).toEqual([]);
  });

  test("a key that no store takes is counted by its digest", async () => {
    const hits = expressRateLimitStore({ store: new MemoryStore(), name: "api" });
    hits.init({ windowMs: 60_000 });
    const keys = ["", "a\0b", "x".repeat(2_000), `${"x".repeat(2_000)}y`, "\ud800", "\udfff", "ü".repeat(600)];
    for (const key of keys) expect((await hits.increment(key)).totalHits).toBe(1);
    for (const key of keys) expect((await hits.increment(key)).totalHits).toBe(2);
  });

  test("a store that is away is an error of the request, or lets it pass where the middleware is told to", async () => {
    const store = new MemoryStore();
    await store.close();
    const make = (name: string) => expressRateLimitStore({ store, name });
    const [open, closed] = [
      await serve({ limit: 1, store: make("open"), passOnStoreError: true }),
      await serve({ limit: 1, store: make("closed") }),
    ];
    expect([(await fetch(open)).status, (await fetch(open)).status]).toEqual([200, 200]);
    expect((await fetch(closed)).status).toBe(500);
  });

  test("hits cannot be counted before the window is known", async () => {
    const hits = expressRateLimitStore({ store: new MemoryStore(), name: "api" });
    await expect(hits.increment("a")).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
    expect(() => hits.init({ windowMs: 0 })).toThrow("windowMs");
    expect(() => expressRateLimitStore({ store: {} as never, name: "api" })).toThrow("give a store");
    expect(() => expressRateLimitStore({ store: new MemoryStore(), name: "" })).toThrow("name");
  });
});

test("hono-rate-limiter takes the same store", async () => {
  const store = new MemoryStore();
  const make = () => {
    const app = new Hono();
    const hits = expressRateLimitStore({ store, name: "hono" });
    app.use(rateLimiter({ windowMs: 60_000, limit: 2, keyGenerator: () => "one", store: hits }));
    return app.get("/", (context) => context.text("hello"));
  };
  const [one, other] = [make(), make()];
  const statuses = [];
  for (const app of [one, other, one]) statuses.push((await app.request("/")).status);
  expect(statuses).toEqual([200, 200, 429]);
});
