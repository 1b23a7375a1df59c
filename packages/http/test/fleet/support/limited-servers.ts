/** A process of a fleet: servers of several kinds, all of which count in one Redis. It says where they listen. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createKeyed } from "@dt/keyed";
import { redisStore } from "@dt/redis";
import rateLimit from "@fastify/rate-limit";
import express from "express";
import { rateLimit as expressRateLimit } from "express-rate-limit";
import { fastify } from "fastify";
import { createServerLimit } from "../../../src/server/index.ts";
import { expressRateLimitStore, fastifyRateLimitStore } from "../../../src/stores/index.ts";

const [url = "", limitText = "20"] = process.argv.slice(2);
const most = Number(limitText);
const store = redisStore({ url });
const windowMs = 72_000_000;

async function listening(server: Server): Promise<string> {
  if (!server.listening) await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function onExpress(name: string, passOnStoreError: boolean): Promise<string> {
  const app = express();
  const hits = expressRateLimitStore({ store, name });
  app.use(expressRateLimit({ windowMs, limit: most, standardHeaders: "draft-6", store: hits, passOnStoreError }));
  app.get("/", (_, response) => void response.send("hello"));
  return listening(app.listen(0, "127.0.0.1"));
}

async function onFastify(name: string, skipOnError: boolean): Promise<string> {
  const app = fastify();
  const hits = fastifyRateLimitStore({ store, name });
  await app.register(rateLimit, { max: most, timeWindow: windowMs, enableDraftSpec: true, store: hits, skipOnError });
  app.get("/", async () => "hello");
  await app.listen({ port: 0, host: "127.0.0.1" });
  return listening(app.server);
}

function ours(name: string, whenStoreLost: "allow" | "deny"): Promise<string> {
  const keyed = createKeyed({ name, store, limit: { rate: `${most}/20h` } });
  const limit = createServerLimit({
    policies: [{ name: "tenant", keyed, key: ({ address }) => address, whenStoreLost }],
    fields: ["draft-6"],
  });
  limit.on("storeLost", () => console.log(`lost ${name}`));
  limit.on("storeBack", () => console.log(`back ${name}`));
  return listening(createServer(limit.node((_, response) => response.end("hello"))).listen(0, "127.0.0.1"));
}

const urls = {
  "express, open": await onExpress("express open", true),
  "express, closed": await onExpress("express closed", false),
  "fastify, open": await onFastify("fastify open", true),
  "fastify, closed": await onFastify("fastify closed", false),
  "ours, open": await ours("ours-open", "allow"),
  "ours, closed": await ours("ours-closed", "deny"),
};
console.log(`listening ${JSON.stringify(urls)}`);
