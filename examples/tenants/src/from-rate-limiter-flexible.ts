/**
 * rate-limiter-flexible and a keyed limit, side by side: what each call is called there, and here. It prints what both
 * answer.
 */
import { MemoryStore } from "@dt/core";
import { createKeyed, setLimit } from "@dt/keyed";
import { RateLimiterMemory, type RateLimiterRes } from "rate-limiter-flexible";

const store = new MemoryStore(); // RateLimiterRedis, RateLimiterPostgres, ...: redisStore({ url }), postgresStore(...)

// keyPrefix is the name. `points` in `duration` seconds is a rate. There a window, here units that come back evenly: no
// two windows in a row. insuranceLimiter is whenStoreLost; inMemoryBlockOnConsumed needs nothing.
const there = new RateLimiterMemory({ keyPrefix: "api", points: 5, duration: 60 });
const here = createKeyed({ name: "api", store, limit: { rate: "5/min" }, stored: true });

const show = (what: string, left: unknown, right: unknown): void =>
  console.log(`${what.padEnd(12)}${JSON.stringify(left).padEnd(46)}${JSON.stringify(right)}`);

/** consume -> check: one throws a refusal, the other answers it. */
async function consume(key: string, points: number): Promise<object> {
  try {
    const { remainingPoints } = await there.consume(key, points);
    return { allowed: true, remaining: remainingPoints };
  } catch (refusal) {
    if (refusal instanceof Error) throw refusal;
    return { allowed: false, remaining: (refusal as RateLimiterRes).remainingPoints };
  }
}

async function check(key: string, cost: number): Promise<object> {
  const { allowed, remaining } = await here.check(key, cost);
  return { allowed, remaining };
}

show("consume 3", await consume("a", 3), await check("a", 3));
// There a refused call is counted, so that nothing is left. Here it takes nothing, and a smaller one goes on.
show("consume 3", await consume("a", 3), await check("a", 3));
show("consume 2", await consume("a", 2), await check("a", 2));

// get -> peek, and delete -> reset.
show("get", (await there.get("a"))?.remainingPoints, (await here.peek("a")).remaining);
await there.delete("a");
await here.reset("a");
show("delete", (await there.get("a"))?.remainingPoints ?? 5, (await here.peek("a")).remaining);

// penalty -> check, as long as there is something to take; a debt is not possible.
await there.penalty("b", 2);
await here.check("b", 2);
show("penalty 2", (await there.get("b"))?.remainingPoints, (await here.peek("b")).remaining);

// reward: nothing. Units come back by themselves, and whoever is to have more gets a limit of his own.
await setLimit(store, "api", { rate: "50/min", burst: 50 }, { key: "b", by: "billing", why: "upgrade" });
show("reward", "once", (await here.peek("b")).limit);

// block -> a limit that lets nothing come back, for a while. At most one call of it goes on.
await there.block("c", 600);
await setLimit(store, "api", { rate: "1/90d", burst: 1 }, { key: "c", by: "ann", why: "abuse", for: "10m" });
await here.check("c");
show("block", await consume("c", 1), await check("c", 1));

await here.stop();
await store.close();
