import { createPacer } from "@dt/core";
import { sqliteStore } from "@dt/sqlite";

const store = sqliteStore({ path: "./throttle.db" });
const pacer = createPacer({ name: "partner-api", every: "200ms", store });

for (let i = 0; i < 3; i++) {
  await pacer.acquire(); // one every 200 ms, over all processes together
  console.log("call", i);
}

await pacer.stop();
await store.close();
