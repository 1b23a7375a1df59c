import { createConcurrencyLimit, createGuard, createRetryBudget } from "@dt/adaptive";
import { createThrottle, MemoryStore } from "@dt/core";

// In a fleet: a store that all processes share, such as redisStore({ url }).
const throttle = createThrottle({ name: "search", rate: "600/min", store: new MemoryStore() });
const limit = createConcurrencyLimit({ name: "search" });
const guard = createGuard({ name: "search", throttle, limit });
const retries = createRetryBudget({ name: "search" });

// Stands for a request to your callee, which refuses the first one.
let requests = 0;
const request = async () => new Response("found", { status: ++requests === 1 ? 503 : 200 });

const search = retries.wrap(guard.wrap(request)); // the retries are outermost: each attempt passes the guard
const response = await search();
console.log(`${response.status} after ${requests} requests`);

await Promise.all([guard.stop(), limit.stop(), throttle.stop()]);
