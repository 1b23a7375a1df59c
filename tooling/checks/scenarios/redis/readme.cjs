const { createThrottle } = require("@dt/core");
const { redisStore } = require("@dt/redis");

async function main() {
  const store = redisStore({ url: process.env.REDIS_URL ?? "redis://localhost:6379" });
  const throttle = createThrottle({ name: "crawler", rate: "100/s", store });

  const urls = Array.from({ length: 50 }, (_, n) => `https://example.com/${n}`);
  for await (const batch of throttle.batches(urls, { size: 10 })) {
    console.log(`${batch.length} pages, then ask again`);
  }

  await throttle.stop();
  await store.close();
}

main();
