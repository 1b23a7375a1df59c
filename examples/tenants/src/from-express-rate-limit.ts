/**
 * Two servers of a fleet behind express-rate-limit, three times: as it comes, with a store that both share, and with a
 * keyed limit in its place. It prints what ten requests to them, in turn, are answered.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { MemoryStore } from "@dt/core";
import { createServerLimit } from "@dt/http/server";
import { expressRateLimitStore } from "@dt/http/stores";
import { createKeyed } from "@dt/keyed";
import express, { type RequestHandler } from "express";
import { rateLimit } from "express-rate-limit";

const store = new MemoryStore(); // In a fleet: a store that all processes share, such as redisStore({ url }).

/** Before: each process counts for itself, so that a client has its limit as often as there are processes. */
const before = (): RequestHandler => rateLimit({ windowMs: 60_000, limit: 3 });

/** The same middleware, counted for the fleet. All of its options go on as they are. */
const counted = (): RequestHandler =>
  rateLimit({ windowMs: 60_000, limit: 3, store: expressRateLimitStore({ store, name: "by address" }) });

/**
 * A keyed limit in its place: no windows, so that never more than 3 and what comes back goes through. Refusals count
 * nothing, clients read when to come again, and slots and plans for each key are possible.
 */
const limits = createKeyed({ name: "clients", store, limit: { rate: "3/min" } });
const keyed = (): RequestHandler =>
  createServerLimit({ policies: [{ name: "client", keyed: limits, key: ({ address }) => address }] }).express();

async function twoServers(middleware: () => RequestHandler): Promise<string> {
  const servers = await Promise.all(
    [1, 2].map(async () => {
      const app = express();
      app.use(middleware());
      app.get("/", (_, response) => void response.send("hello"));
      const server = app.listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const statuses: number[] = [];
  for (let n = 0; n < 10; n++) {
    const response = await fetch(urls[n % urls.length] as string);
    await response.text();
    statuses.push(response.status);
  }
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  return statuses.join(" ");
}

console.log(`as it comes      ${await twoServers(before)}`);
console.log(`with our store   ${await twoServers(counted)}`);
console.log(`a keyed limit    ${await twoServers(keyed)}`);

await limits.stop();
await store.close();
