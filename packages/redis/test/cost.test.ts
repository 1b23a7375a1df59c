import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RedisStore, redisStore } from "../src/index.ts";

/**
 * What a sync costs, from the server's own counters (INFO commandstats): counts, not times, which the benchmarks
 * measure.
 */

let server: RedisServer;
let admin: Redis;
let store: RedisStore;

beforeAll(async () => {
  // Counters are the whole server's: it must be ours alone.
  server = await startRedis({ control: true });
  admin = new Redis(server.url, { autoResendUnfulfilledCommands: false });
  store = redisStore({ url: server.url, timeout: "50s" });
});

afterAll(async () => {
  await store?.close();
  admin?.disconnect();
  await server?.stop();
});

describe("a sync", () => {
  const expected = { evalsha: 1, time: 1, hmget: 1, zcard: 1, zrangebyscore: 1, zadd: 1, hset: 1 };

  test.each([1, 10, 1_000, 10_000])(
    "among %i members is one command with the same commands inside",
    async (members) => {
      const group = `flat-${members}`;
      const registrations = Array.from({ length: members }, () =>
        newcomer({ max: 2 * members, staleAfterMs: 600_000 }),
      );
      await Promise.all(registrations.map((registration) => store.register(group, registration)));
      const some = registrations.filter((_, i) => i % Math.ceil(members / 10) === 0);

      // The first sync of each may be its newcomer's raise; the ones after that are the steady state.
      const views = await Promise.all(
        some.map(async (registration) => store.sync(group, registration, adopting(await view(group, registration), 2))),
      );
      const before = await counters();
      for (const [i, registration] of some.entries()) {
        const next = await store.sync(group, registration, adopting(accepted(views[i] as never), 3));
        expect(accepted(next).poolSize).toBe(members);
      }
      const after = await counters();
      const spent = Object.fromEntries(
        [...after]
          .map(([command, calls]) => [command, (calls - (before.get(command) ?? 0)) / some.length] as const)
          .filter(([command, calls]) => calls > 0 && command !== "info"),
      );
      expect(spent).toEqual(expected);
    },
    60_000,
  );

  test("sends nothing but itself", async () => {
    const registration = newcomer();
    const first = await store.register("alone", registration);
    await store.sync("alone", registration, adopting(first, 2));
    const before = await processed();
    for (let seq = 3; seq < 53; seq++) await store.sync("alone", registration, adopting(first, seq));
    // 50 scripts and the INFO that tells.
    expect((await processed()) - before).toBe(50 * Object.values(expected).reduce((a, b) => a + b) + 1);
  });
});

async function view(group: string, registration: ReturnType<typeof newcomer>) {
  return accepted(await store.register(group, { ...registration, seq: 1, rejoin: true }));
}

async function counters(): Promise<Map<string, number>> {
  const info = await admin.info("commandstats");
  return new Map(
    [...info.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, command, calls]) => [command as string, Number(calls)]),
  );
}

/** Commands that the server ran, those inside scripts included. */
async function processed(): Promise<number> {
  return [...(await counters()).values()].reduce((a, b) => a + b, 0);
}
