// One process with very many members of a throttle, and very many keys of a keyed limit, on a Redis. Says "ready" when
// all are there. Some of the members are busy.
import { createThrottle } from "@dt/core";
import { createKeyed } from "@dt/keyed";
import { redisStore } from "@dt/redis";

const { url, members, keys } = JSON.parse(process.argv[2] as string) as Readonly<{
  url: string;
  members: number;
  keys: number;
}>;
const store = redisStore({ url });

/** Every member reports seldom, and is not taken for gone: a thousand of them are on one processor. */
const patient = { staleAfter: "120s", validity: "60s", syncInterval: "2500ms", storeTimeout: "15s" } as const;
const throttles = Array.from({ length: members }, (_, rank) =>
  createThrottle({ ...patient, store, name: "crawl", rate: "5000/s", label: `pod-${rank + 1}`, learning: 0 }),
);
// Eight at a time: a store answers each within its deadline.
await inLanes(8, throttles, async (throttle) => {
  await throttle.acquire();
});

const limits = createKeyed({ store, name: "customers", limit: { rate: "1/min", burst: 60 } });
await inLanes(
  200,
  Array.from({ length: keys }, (_, place) => `customer-${place + 1}`),
  // The first ones use most. A unit comes back in a minute, so that all stay in use for as long as a test lasts.
  async (key, place) => void (await limits.check(key, place < 20 ? 60 : 5 + ((place * 7) % 40))),
);
process.stdout.write("ready\n");

// A few of the members use much of the limit, and others some of it.
setInterval(() => {
  for (const [rank, throttle] of throttles.entries())
    for (let taken = 0; taken < Math.floor(400 / (rank + 1)) && throttle.tryAcquire(); ) taken += 1;
}, 1_000);

async function inLanes<T>(
  count: number,
  items: readonly T[],
  work: (item: T, place: number) => Promise<void>,
): Promise<void> {
  const rest = items.entries();
  const lane = async (): Promise<void> => {
    for (const [place, item] of rest) await work(item, place);
  };
  await Promise.all(Array.from({ length: count }, lane));
}
