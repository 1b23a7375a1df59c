import { createServer } from "node:http";
import { Redis } from "ioredis";
import { RateLimiterRedis } from "rate-limiter-flexible";

const client = new Redis(process.env.REDIS_URL);
client.on("error", () => {}); // The calls report it.
const limiter = new RateLimiterRedis({ storeClient: client, keyPrefix: "api", points: 5, duration: 60 });

const server = createServer(async (request, response) => {
  try {
    await limiter.consume(request.headers["x-tenant"] ?? "none");
    response.end("hello");
  } catch (refusal) {
    if (refusal instanceof Error) response.writeHead(503).end();
    else response.writeHead(429, { "Retry-After": Math.ceil(refusal.msBeforeNext / 1_000) }).end();
  }
});
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
