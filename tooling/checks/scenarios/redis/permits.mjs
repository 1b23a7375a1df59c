import { createPacer } from "@dt/core";
import { redisStore } from "@dt/redis";

const store = redisStore({ url: process.env.REDIS_URL ?? "redis://localhost:6379" });
const pacer = createPacer({ name: "partner-api", every: "200ms", store });

for (let i = 0; i < 3; i++) {
  await pacer.acquire(); // one every 200 ms, over all processes together
  console.log("call", i);
}

await pacer.stop();
await store.close();
