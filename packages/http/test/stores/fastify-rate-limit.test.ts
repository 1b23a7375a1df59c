import { MemoryStore } from "@dt/core";
import rateLimit, { type RateLimitPluginOptions } from "@fastify/rate-limit";
import { type FastifyInstance, fastify } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { fastifyRateLimitStore } from "../../src/stores/index.ts";
import { calls } from "./support/calls.ts";

/** An application that is limited. */
async function limited(options: RateLimitPluginOptions): Promise<FastifyInstance> {
  const app = fastify();
  onTestFinished(() => app.close());
  await app.register(rateLimit, { max: 3, timeWindow: 60_000, ...options });
  app.get("/", async () => "hello");
  app.get("/search", { config: { rateLimit: { max: 1 } } }, async () => "found");
  app.post("/search", { config: { rateLimit: { max: 1 } } }, async () => "found");
  return app;
}

/** What each of these requests is answered. */
async function ask(...asked: readonly (readonly [FastifyInstance, string, ("GET" | "POST")?])[]): Promise<string[]> {
  const answers = [];
  for (const [app, url, method = "GET"] of asked) {
    const { statusCode, headers } = await app.inject({ method, url });
    answers.push(`${statusCode} ${headers["x-ratelimit-remaining"]} ${headers["retry-after"] ?? ""}`.trim());
  }
  return answers;
}

test("servers count together, and each tells what is left of all", async () => {
  const store = fastifyRateLimitStore({ store: new MemoryStore(), name: "api" });
  const [one, other] = [await limited({ store }), await limited({ store })];
  const answers = await ask([one, "/"], [other, "/"], [one, "/"], [other, "/"]);
  expect(answers).toEqual(["200 2", "200 1", "200 0", "429 0 60"]);
});

test("each route with options of its own counts for itself, on all servers", async () => {
  const store = fastifyRateLimitStore({ store: new MemoryStore(), name: "api" });
  const [one, other] = [await limited({ store }), await limited({ store })];
  expect(await ask([one, "/search"], [other, "/search"])).toEqual(["200 0", "429 0 60"]);
  expect(await ask([other, "/search", "POST"], [one, "/search", "POST"])).toEqual(["200 0", "429 0 60"]);
  expect(await ask([one, "/"])).toEqual(["200 2"]);
});

test("limiters that are made without a route count apart as well", async () => {
  const store = fastifyRateLimitStore({ store: new MemoryStore(), name: "api" });
  const make = async (): Promise<FastifyInstance> => {
    const app = fastify();
    onTestFinished(() => app.close());
    await app.register(rateLimit, { global: false, store });
    // The plugin's types declare it for servers of other parameters.
    const { createRateLimit } = app as unknown as {
      createRateLimit(options: object): (request: unknown, how?: object) => Promise<object>;
    };
    const [few, many] = [createRateLimit({ max: 1 }), createRateLimit({ max: 5 })];
    app.get("/few", async (request) => few(request));
    app.get("/many", async (request) => many(request));
    app.get("/look", async (request) => many(request, { increment: false }));
    return app;
  };
  const [one, other] = [await make(), await make()];
  const told = async (app: FastifyInstance, url: string) => (await app.inject(url)).json();
  expect(await told(one, "/few")).toMatchObject({ remaining: 0, isExceeded: false });
  expect(await told(other, "/few")).toMatchObject({ remaining: 0, isExceeded: true });
  expect(await told(other, "/many")).toMatchObject({ remaining: 4 });
  expect(await told(one, "/look")).toMatchObject({ remaining: 4 });
});

test("hits beyond the limit are counted, so that a ban works", async () => {
  const app = await limited({
    max: 1,
    ban: 1,
    store: fastifyRateLimitStore({ store: new MemoryStore(), name: "api" }),
  });
  const answers = await ask([app, "/"], [app, "/"], [app, "/"]);
  expect(answers.map((told) => told.slice(0, 3))).toEqual(["200", "429", "403"]);
});

test("all requests of a turn travel in one call", async () => {
  const { store, sizes } = calls();
  const Store = fastifyRateLimitStore({ store, name: "api" });
  const hits = new Store();
  const counted = await Promise.all(
    ["a", "b", "a"].map(
      (key) =>
        new Promise((resolve, reject) =>
          hits.incr(key, (error, found) => (error ? reject(error) : resolve(found?.current)), 60_000),
        ),
    ),
  );
  expect([counted, sizes]).toEqual([[1, 1, 2], [3]]);
});

test("a store that is away is an error of the request, or lets it pass where the plugin is told to", async () => {
  const store = new MemoryStore();
  await store.close();
  const Store = fastifyRateLimitStore({ store, name: "api" });
  const [open, closed] = [await limited({ store: Store, skipOnError: true }), await limited({ store: Store })];
  expect((await open.inject("/")).statusCode).toBe(200);
  expect((await closed.inject("/")).statusCode).toBe(500);
});

test("windows that grow are refused, where the plugin would have been silent", async () => {
  const Store = fastifyRateLimitStore({ store: new MemoryStore(), name: "api" });
  expect(() => new Store({ continueExceeding: true })).toThrow("continueExceeding");
  expect(() => new Store().child({ exponentialBackoff: true })).toThrow("exponentialBackoff");
});
