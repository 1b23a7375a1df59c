/**
 * A server whose tenants have plans: 5 requests a second each, and more for those that have paid. The plans live in the
 * store, where `set-plan.ts` changes them. Start as many as you like on one Redis: no process is told of a change.
 *
 *     node plan-server.ts redis://localhost:6379 3000
 */
import { createServerLimit } from "@dt/http/server";
import { createKeyed } from "@dt/keyed";
import { redisStore } from "@dt/redis";
import { fastify } from "fastify";

const [url = "redis://localhost:6379", port = "0"] = process.argv.slice(2);

const store = redisStore({ url });
// The code has the free plan. It counts for each tenant of which the store says nothing.
const tenants = createKeyed({ name: "plans", store, limit: { rate: "5/s" }, stored: true });
const limit = createServerLimit({
  policies: [{ name: "tenant", keyed: tenants, key: ({ header }) => header("x-tenant") }],
});

const app = fastify();
app.addHook("onRequest", limit.fastify());
app.get("/", async (request) => `hello, ${request.headers["x-tenant"]}`);
console.log(`listening ${await app.listen({ port: Number(port), host: "127.0.0.1" })}`);

process.once("SIGTERM", async () => {
  await app.close();
  await tenants.stop();
  await store.close();
});
