import { createPacer } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const store = sqliteStore({ path: "limits.db" }); // For many machines: redisStore({ url }) of @dt/redis.
const pacer = createPacer({ name: "api", rate: "10/s", store });

async function getPage(page) {
  await pacer.acquire();
  const response = await fetch(`${process.env.API_URL}/pages/${page}`);
  return response.text();
}

const pages = await Promise.all(Array.from({ length: 20 }, (_, page) => getPage(page)));
console.log(`${pages.length} pages`);
await pacer.stop(); // What was reserved and not used goes to the other processes.
await store.close();
