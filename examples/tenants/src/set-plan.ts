/**
 * What your billing does when a tenant takes another plan: one call, while the servers run.
 *
 *     node set-plan.ts redis://localhost:6379 "tenant 7" paid        an upgrade, from 5/s to 50/s
 *     node set-plan.ts redis://localhost:6379 "tenant 7" paid 2h     a trial, which ends by itself
 *     node set-plan.ts redis://localhost:6379 "tenant 7" free        a downgrade
 */
import type { Duration } from "@dt/core";
import { getLimit, type KeyLimit, setLimit } from "@dt/keyed";
import { redisStore } from "@dt/redis";

/** Of the free plan the store has nothing: the limit in the code of the servers counts. */
const PLANS: Readonly<Record<string, KeyLimit | undefined>> = { free: undefined, paid: { rate: "50/s", burst: 100 } };

const [url = "redis://localhost:6379", key = "", plan = "", trial] = process.argv.slice(2);
if (!Object.hasOwn(PLANS, plan)) throw new Error(`there is no plan ${JSON.stringify(plan)}; give free or paid`);

const store = redisStore({ url });
// When the trial is over the limit in the code counts again: a trial is for those who have the free plan.
await setLimit(store, "plans", PLANS[plan], {
  ...{ key, by: "billing", why: trial === undefined ? plan : `a trial of ${trial}` },
  ...(trial !== undefined && { for: trial as Duration }),
});
const record = await getLimit(store, "plans", { key });
for (const { to, why, untilMs, atMs } of record?.history ?? []) {
  const seconds = untilMs === undefined ? undefined : (untilMs - atMs) / 1_000;
  console.log(`${why}: ${to ? `${to["max"]}/s` : "as in the code"}${seconds === undefined ? "" : ` for ${seconds} s`}`);
}
await store.close();
