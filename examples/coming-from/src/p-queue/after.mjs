import { createSemaphore } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const store = sqliteStore({ path: "limits.db" }); // For many machines: redisStore({ url }) of @dt/redis.
const semaphore = createSemaphore({ name: "api", max: 2, store });

async function getPage(page, signal) {
  const response = await fetch(`${process.env.API_URL}/pages/${page}`, { signal });
  return response.text();
}

const numbers = Array.from({ length: 10 }, (_, page) => page);
const pages = await Promise.all(numbers.map((page) => semaphore.run(({ signal }) => getPage(page, signal))));
console.log(`${pages.length} pages`);
await semaphore.stop();
await store.close();
