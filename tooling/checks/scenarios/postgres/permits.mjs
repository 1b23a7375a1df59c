import { createPacer } from "@dt/core";
import { postgresStore } from "@dt/postgres";

const store = postgresStore({ connectionString: process.env.DATABASE_URL ?? "postgres://localhost/app" });
const pacer = createPacer({ name: "partner-api", every: "200ms", store });

for (let i = 0; i < 3; i++) {
  await pacer.acquire(); // one every 200 ms, over all processes together
  console.log("call", i);
}

await pacer.stop();
await store.close();
