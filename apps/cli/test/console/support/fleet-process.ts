// One of some processes that share a throttle, a semaphore, a pacer, a budget and a keyed limit on a Redis, under a
// steady load. Says "ready" when it has its first tokens. Told "stop", it leaves in order and ends.
import { setTimeout as sleep } from "node:timers/promises";
import { createBudget } from "@dt/budget";
import { createPacer, createSemaphore, createThrottle } from "@dt/core";
import { createKeyed } from "@dt/keyed";
import { redisStore } from "@dt/redis";
import { type FleetProcessSettings, RATE } from "./fleet-settings.ts";

const { url, label, perSecond, names } = JSON.parse(process.argv[2] as string) as FleetProcessSettings;
const store = redisStore({ url });
// Shorter than by default, so that a test need not wait for ten seconds until a member that was killed is removed.
const member = { store, label, staleAfter: "6s" } as const;
const limiters = {
  throttle: createThrottle({ ...member, name: names.throttle, rate: `${RATE}/s`, stored: true, maxWaiters: 50 }),
  semaphore: createSemaphore({ ...member, name: names.semaphore, max: 8, stored: true }),
  pacer: createPacer({ store, name: names.pacer, every: "200ms" }),
  budget: createBudget({
    store,
    name: names.budget,
    limits: { requests: { rate: "300/min" }, tokens: { rate: "60000/min" } },
    stored: true,
  }),
  keyed: createKeyed({ store, name: names.keyed, limit: { rate: "2/s", burst: 40 }, stored: true }),
};
const ending = new AbortController();

/** Calls `work` so often, whether the calls before have ended or not, and leaves out what cannot be done. */
async function often(periodMs: number, work: () => Promise<unknown>): Promise<void> {
  while (!ending.signal.aborted) {
    // A limit that is full, a store that is away: both are what the console is to show.
    void work().catch(() => {});
    await sleep(periodMs);
  }
}

/** Does `work` over and over, one at a time. */
async function always(work: () => Promise<unknown>): Promise<void> {
  while (!ending.signal.aborted) await work().catch(() => sleep(100));
}

await limiters.throttle.acquire();
process.stdout.write("ready\n");

const { signal } = ending;
const keys = [names.key, "tenant-2", "tenant-3", "tenant-4", "tenant-5"];
let turn = 0;
const load = [
  often(100, () => limiters.throttle.acquire(Math.max(1, Math.round(perSecond / 10)), { timeout: "3s", signal })),
  ...Array.from({ length: 3 }, () => always(() => limiters.semaphore.run(() => sleep(400), { signal }))),
  always(() => limiters.pacer.run(() => sleep(1), { signal })),
  always(() => limiters.budget.run(() => sleep(50), { cost: { requests: 1, tokens: 400 }, signal })),
  // The first key is asked for most, the last one least.
  often(150, () => limiters.keyed.check(keys[Math.floor(Math.sqrt(turn++ % 25))] as string)),
];

process.stdin.once("data", async () => {
  ending.abort();
  await Promise.all(load);
  await Promise.all(Object.values(limiters).map((limiter) => limiter.stop()));
  await store.close();
  process.exit();
});
