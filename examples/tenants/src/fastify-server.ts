/**
 * A server with a limit for each tenant. Start as many as you like on one Redis: a tenant has its limit once.
 *
 *     node fastify-server.ts redis://localhost:6379 3000
 */
import { createServerLimit } from "@dt/http/server";
import { createKeyed, type KeyLimit } from "@dt/keyed";
import { redisStore } from "@dt/redis";
import { fastify } from "fastify";

const [url = "redis://localhost:6379", port = "0"] = process.argv.slice(2);

/** Each plan is one object that nobody changes: it is checked once. */
const PLANS = {
  free: Object.freeze({ rate: "1/min", burst: 5 }),
  paid: Object.freeze({ rate: "600/min", burst: 50, concurrent: 10 }),
} satisfies Record<string, KeyLimit>;

/** Stands for your table of tenants. It is in memory: it is looked at for every request. */
const planOf = (tenant: string): KeyLimit => (tenant.startsWith("paid ") ? PLANS.paid : PLANS.free);

const store = redisStore({ url });
const tenants = createKeyed({ name: "tenants", store, limit: planOf });
const limit = createServerLimit({
  // A request without the header is not counted here: in your server it is refused by who knows the tenants.
  policies: [{ name: "tenant", keyed: tenants, key: ({ header }) => header("x-tenant") }],
});
limit.on("storeLost", ({ error }) => console.error(`tenants are not counted: ${error.message}`));
limit.on("storeBack", ({ forMs }) => console.error(`tenants are counted again, after ${Math.ceil(forMs)} ms`));

const app = fastify();
app.addHook("onRequest", limit.fastify());
app.get("/", async (request) => `hello, ${request.headers["x-tenant"]}`);
console.log(`listening ${await app.listen({ port: Number(port), host: "127.0.0.1" })}`);

process.once("SIGTERM", async () => {
  await app.close();
  await tenants.stop();
  await store.close();
});
