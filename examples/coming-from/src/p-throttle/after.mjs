import { createThrottle } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const store = sqliteStore({ path: "limits.db" }); // For many machines: redisStore({ url }) of @dt/redis.
const throttle = createThrottle({ name: "api", rate: "10/s", release: "even", store });

const getPage = throttle.wrap(async (page) => {
  const response = await fetch(`${process.env.API_URL}/pages/${page}`);
  return response.text();
});

const pages = await Promise.all(Array.from({ length: 20 }, (_, page) => getPage(page)));
console.log(`${pages.length} pages`);
await throttle.stop(); // The other processes take over this one's share at once.
await store.close();
