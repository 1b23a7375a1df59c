import Bottleneck from "bottleneck";
import { Redis } from "ioredis";

const client = new Redis(process.env.REDIS_URL);
const connection = new Bottleneck.IORedisConnection({ client, Redis });
const limiter = new Bottleneck({ id: "api", minTime: 100, connection });
limiter.on("error", console.error);

const getPage = limiter.wrap(async (page) => {
  const response = await fetch(`${process.env.API_URL}/pages/${page}`);
  return response.text();
});

const pages = await Promise.all(Array.from({ length: 10 }, (_, page) => getPage(page)));
console.log(`${pages.length} pages`);
await limiter.stop();
await connection.disconnect();
