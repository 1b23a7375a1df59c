import { createThrottle } from "@dt/core";
import { postgresStore } from "@dt/postgres";

const store = postgresStore({ connectionString: process.env.DATABASE_URL ?? "postgres://localhost/app" });
const throttle = createThrottle({ name: "payments-api", max: 500, interval: "1s", store });

for (let i = 0; i < 3; i++) {
  await throttle.acquire(1);
  console.log("call", i); // at most 500 a second, over all processes together
}

await throttle.stop();
await store.close();
