import { Cluster } from "ioredis";
import { describe, expect, test } from "vitest";
import { withRedis } from "../src/redis-client.ts";
import { startRedisCluster } from "../src/redis-cluster.ts";

describe("a Redis Cluster", () => {
  test("shares the slots among its masters and serves a cluster client", async () => {
    await using cluster = await startRedisCluster({ masters: 3 });
    const owners = await Promise.all([0, 8_000, 16_383].map((slot) => cluster.ownerOf(slot)));
    expect(owners).toEqual(cluster.nodes);
    const client = new Cluster(cluster.nodes.map(({ host, port }) => ({ host, port })));
    try {
      for (const key of ["a", "b", "c", "d"]) expect(await client.set(key, "1")).toBe("OK");
    } finally {
      client.disconnect();
    }
  });

  test("moves a slot with its keys: the old owner redirects, the new one has them", async () => {
    await using cluster = await startRedisCluster({ masters: 3 });
    const slot = await cluster.slotOf("{group}:0");
    expect(slot).toBe(await cluster.slotOf("group"));
    const from = await cluster.ownerOf(slot);
    const to = cluster.nodes.find((node) => node !== from) as (typeof cluster.nodes)[number];
    const keys = Array.from({ length: 250 }, (_, index) => `{group}:${index}`);
    await withRedis(from, (client) => client.mset(keys.flatMap((key) => [key, key])));

    await cluster.moveSlot(slot, from, to);

    await expect(withRedis(from, (client) => client.get(keys[0] as string))).rejects.toThrow(`MOVED ${slot}`);
    expect(await withRedis(to, (client) => client.mget(keys))).toEqual(keys);
    expect(await cluster.ownerOf(slot)).toBe(to);
  });

  test("moves a slot to and fro, again and again, and all nodes agree each time", async () => {
    await using cluster = await startRedisCluster({ masters: 3 });
    const slot = await cluster.slotOf("group");
    let from = await cluster.ownerOf(slot);
    for (let move = 0; move < 6; move++) {
      const to = cluster.nodes.find((node) => node !== from) as (typeof cluster.nodes)[number];
      await cluster.moveSlot(slot, from, to);
      expect(await cluster.ownerOf(slot)).toBe(to);
      from = to;
    }
  });
});
