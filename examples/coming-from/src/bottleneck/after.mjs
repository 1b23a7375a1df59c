import { createPacer } from "@dt/core";
import { redisStore } from "@dt/redis";

const store = redisStore({ url: process.env.REDIS_URL });
const pacer = createPacer({ name: "api", every: "100ms", store });

const getPage = pacer.wrap(async (page) => {
  const response = await fetch(`${process.env.API_URL}/pages/${page}`);
  return response.text();
});

const pages = await Promise.all(Array.from({ length: 10 }, (_, page) => getPage(page)));
console.log(`${pages.length} pages`);
await pacer.stop();
await store.close();
