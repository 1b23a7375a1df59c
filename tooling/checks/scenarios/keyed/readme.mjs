import { MemoryStore } from "@dt/core";
import { createKeyed } from "@dt/keyed";

// In a fleet: a store that all processes share, such as redisStore({ url }).
const store = new MemoryStore();
const plans = { free: { rate: "5/s", burst: 10 }, team: { rate: "50/s", burst: 100, concurrent: 20 } };
const limit = (tenant) => (tenant === "acme" ? plans.team : plans.free);
const limits = createKeyed({ name: "api", store, limit });

// A server refuses: no call waits.
for (let call = 1; call <= 12; call++) {
  const { allowed, remaining, retryAfterMs } = await limits.check("tenant 7");
  if (call === 10) console.log(`call ${call}: ${allowed}, ${remaining} left`);
  if (call === 12) console.log(`call ${call}: ${allowed}, retry in ${Math.ceil(retryAfterMs / 1_000)} s`);
}

// A worker waits for its turn.
await limits.for("tenant 7").run(() => console.log("called"), { timeout: "2s" });
await limits.stop();
await store.close();
