import { createThrottle } from "@dt/core";
import { postgresStore } from "@dt/postgres";
import { redisStore } from "@dt/redis";
import { startPostgres, startRedis } from "@dt-tooling/backends";
import { expect, it } from "vitest";
import { openStore } from "../src/stores/open-store.ts";
import { parseStoreAddress } from "../src/stores/store-address.ts";

/** The groups that a command sees at an address. */
async function groupsAt(address: string): Promise<readonly string[]> {
  const store = await openStore(parseStoreAddress(address), false);
  try {
    const { groups = [] } = (await store.list?.()) ?? {};
    return groups;
  } finally {
    await store.close();
  }
}

it("a command sees the fleet of a prefix of Redis, and of a schema of PostgreSQL", async ({ onTestFinished }) => {
  const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
  onTestFinished(async () => {
    await Promise.all([redis.stop(), postgres.stop()]);
  });
  for (const { store, url, place } of [
    { store: redisStore({ url: redis.url, prefix: "test" }), url: redis.url, place: "prefix" },
    { store: postgresStore({ connectionString: postgres.url, schema: "test" }), url: postgres.url, place: "schema" },
  ]) {
    const throttle = createThrottle({ name: "payments", max: 10, store });
    await throttle.start();
    const separator = url.includes("?") ? "&" : "?";
    expect(await groupsAt(`${url}${separator}${place}=test`)).toEqual(["payments"]);
    await throttle.stop();
    await store.close();
  }
  expect(await groupsAt(redis.url)).toEqual([]);
});
