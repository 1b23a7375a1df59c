import { MemoryStore } from "@dt/core";
import { createKeyed } from "@dt/keyed";

// In a fleet: a store that all processes share, such as redisStore({ url }).
const store = new MemoryStore();
const plans = { free: { rate: "5/s", burst: 10 }, team: { rate: "50/s", burst: 100, concurrent: 20 } };
const limits = createKeyed({
  name: "api",
  store,
  limit: (tenant) => (tenant === "acme" ? plans.team : plans.free),
});

// A server refuses: no call waits.
for (let call = 1; call <= 12; call++) {
  const { allowed, remaining, retryAfterMs } = await limits.check("tenant 7");
  if (call >= 9)
    console.log(allowed ? `call ${call}, ${remaining} left` : `429, retry in ${Math.ceil(retryAfterMs / 1000)} s`);
}

// A worker waits for its turn.
await limits.for("tenant 7").run(() => console.log("called"), { timeout: "2s" });
await limits.stop();
await store.close();
