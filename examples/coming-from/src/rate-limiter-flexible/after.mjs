import { createServer } from "node:http";
import { createKeyed } from "@dt/keyed";
import { redisStore } from "@dt/redis";

const store = redisStore({ url: process.env.REDIS_URL });
const limits = createKeyed({ name: "api", limit: { rate: "5/min" }, whenStoreLost: "deny", store });

const server = createServer(async (request, response) => {
  const { allowed, limitedBy, retryAfterMs } = await limits.check(request.headers["x-tenant"] ?? "none");
  if (allowed) response.end("hello");
  else if (limitedBy === "store") response.writeHead(503).end();
  else response.writeHead(429, { "Retry-After": Math.ceil(retryAfterMs / 1_000) }).end();
});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
