import { createSemaphore } from "@dt/core";
import { redisStore } from "@dt/redis";

const store = redisStore({ url: process.env.REDIS_URL });
const semaphore = createSemaphore({ name: "api", max: 2, acquireTimeout: "1m", store }); // One for the process.

async function getPage(page) {
  return semaphore.run(async ({ signal }) => {
    const response = await fetch(`${process.env.API_URL}/pages/${page}`, { signal });
    return await response.text();
  });
}

const pages = await Promise.all(Array.from({ length: 6 }, (_, page) => getPage(page)));
console.log(`${pages.length} pages`);
await semaphore.stop();
await store.close();
