import { Redis } from "ioredis";
import { Semaphore } from "redis-semaphore";

const redis = new Redis(process.env.REDIS_URL);

async function getPage(page) {
  const semaphore = new Semaphore(redis, "api", 2, { acquireTimeout: 60_000 });
  await semaphore.acquire();
  try {
    const response = await fetch(`${process.env.API_URL}/pages/${page}`);
    return await response.text();
  } finally {
    await semaphore.release();
  }
}

const pages = await Promise.all(Array.from({ length: 6 }, (_, page) => getPage(page)));
console.log(`${pages.length} pages`);
await redis.quit();
