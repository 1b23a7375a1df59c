import { type RedisSentinel, startRedisSentinel, until } from "@dt-tooling/backends";
import { spendRequest } from "@dt-tooling/simulator/requests";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openClient, openStore } from "./support/keep.ts";

/** Failovers under Sentinel, on real processes, while a budget is spent. */

let redis: RedisSentinel;

beforeEach(async () => {
  redis = await startRedisSentinel();
});

afterEach(() => redis?.stop());

test.each(["ordered", "killed"])(
  "a failover that is %s costs calls, and the budget goes on at the new master",
  async (how) => {
    const sentinels = redis.sentinels.map(({ host, port }) => ({ host, port }));
    const store = openStore({ options: { sentinels, name: redis.masterName } });
    const first = spendRequest({ costs: [1, 700], keepMs: 600_000 });
    const limits = first.limits.map((limit) => ({ ...limit, windowMs: 600_000 }));
    const { atMs } = await store.spend("b", { ...first, limits });
    const before = await redis.master();
    // What a failover may lose is shown elsewhere: here the replica has it.
    const replica = openClient(redis.servers.find((server) => server !== before)?.url as string);
    await until("the replica has the budget", 10_000, async () => (await replica.exists("dt:{b}:budget")) === 1);
    if (how === "killed") await before.kill();
    else await redis.failover();
    const again = await until("the new master answers", 30_000, () =>
      store.spend("b", { ...first, limits }).catch((error) => {
        expect(error.code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE|UNSUITABLE)$/);
        return undefined;
      }),
    );
    expect(again).toMatchObject({ granted: true, atMs, rests: [9, 300] });
    await until("the Sentinels name another master", 10_000, async () => (await redis.master()) !== before);
    const settle = [{ id: first.reserve.id, costs: [1, 400], measured: true }];
    expect(await store.spend("b", { ...spendRequest({}, { settle }), limits })).toMatchObject({ rests: [8, 500] });
  },
);
