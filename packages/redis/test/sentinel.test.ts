import { type RedisSentinel, type RedisServer, startRedisSentinel, until } from "@dt-tooling/backends";
import { adopting, newcomer } from "@dt-tooling/simulator/requests";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RedisStore, redisStore } from "../src/index.ts";
import { traffic } from "./support/traffic.ts";

/** Failovers under Sentinel, on real processes, while members sync. */

let redis: RedisSentinel;
const stores: RedisStore[] = [];

beforeEach(async () => {
  redis = await startRedisSentinel();
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await redis?.stop();
});

function open(): RedisStore {
  const sentinels = redis.sentinels.map(({ host, port }) => ({ host, port }));
  const store = redisStore({ options: { sentinels, name: redis.masterName } });
  stores.push(store);
  return store;
}

/** Resolves when the replica has the group, with so many members: what a failover may lose is shown elsewhere. */
async function replicated(master: RedisServer, memberCount: number): Promise<void> {
  const replica = redis.servers.find((server) => server !== master);
  await until("the replica has the group", 10_000, async () => {
    const readable = redisStore({ url: replica?.url ?? "" });
    return readable
      .inspect("g")
      .then(
        (snapshot) => snapshot.memberCount === memberCount,
        (error) => /READONLY/.test(error.message),
      )
      .finally(() => readable.close());
  });
}

const generations = (views: readonly { readonly generation: number }[]): number[] =>
  views.map((view) => view.generation);

test("an ordered failover costs calls, not members: the group goes on at the new master", async () => {
  const before = await redis.master();
  const ordered = replicated(before, 2).then(() => redis.failover());
  const members = [newcomer({ staleAfterMs: 600_000 }), newcomer({ staleAfterMs: 600_000 })];
  const [one, other] = await Promise.all(members.map((member) => traffic(open(), "g", member, ordered)));
  const master = await ordered;
  expect(master).not.toBe(before);

  const store = stores[0] as RedisStore;
  const snapshot = await store.inspect("g");
  expect(snapshot).toMatchObject({ memberCount: 2 });
  for (const seen of [one, other]) {
    expect(seen?.slowestMs).toBeLessThan(1_600);
    expect(generations(seen?.views ?? [])).toEqual(generations(seen?.views ?? []).toSorted((a, b) => a - b));
    for (const error of seen?.errors ?? []) expect(error.code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE|UNSUITABLE)$/);
  }
});

test.each(["killed", "stopped"])(
  "a master that is %s is left for the one that Sentinel promotes, and hints go on",
  async (how) => {
    const store = open();
    const member = newcomer({ staleAfterMs: 600_000 });
    let hints = 0;
    await store.onHint?.("g", () => {
      hints += 1;
    });
    const view = await store.register("g", member);
    await until("the hint of the registration", 5_000, () => hints > 0);
    const before = await redis.master();
    await replicated(before, 1);
    await (how === "killed" ? before.kill() : before.pause());

    let seq = 2;
    const after = await until("a sync is answered by the new master", 30_000, () =>
      store.sync("g", member, adopting(view, seq++)),
    );
    // One Sentinel may hear of it a little later than the one that the store asked.
    await until("the Sentinels name another master", 10_000, async () => (await redis.master()) !== before);
    expect(after).toMatchObject({ members: 1, rank: 0 });
    const heard = hints;
    await until("a hint from the new master", 20_000, async () => {
      await store.register("g", newcomer());
      return hints > heard;
    });
    if (how === "stopped") await before.resume();
  },
);
