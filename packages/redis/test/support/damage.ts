import type { StoreDamage } from "@dt/conformance";
import type { Cluster, Redis } from "ioredis";
import { bucketKey, budgetKeys, groupKeys, limitKey, permitKeys } from "../../src/keys.ts";

/** Changes a row: `row` is the list that is stored. */
const edit = (lua: string): string =>
  `local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) } ${lua} return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(row)))`;

/**
 * What somebody else may do to a store's keys.
 * @param connect makes a client, which is disconnected after use
 */
export function redisDamage(connect: () => Redis | Cluster, prefix = "dt"): Required<StoreDamage> {
  const rows = (group: string): string => groupKeys(prefix, group).keys[0] as string;
  const using = async <T>(act: (client: Redis | Cluster) => Promise<T>): Promise<T> => {
    const client = connect();
    try {
      return await act(client);
    } finally {
      client.disconnect();
    }
  };
  const done = async (act: (client: Redis | Cluster) => Promise<unknown>): Promise<void> => {
    await using(act);
  };
  return {
    spoilMember: (group, { incarnation }) => done((client) => client.hset(rows(group), `m:${incarnation}`, "hello")),
    spoilGroup: (group) => done((client) => client.hset(rows(group), "group", "hello")),
    deleteGroup: (group) => done((client) => client.hdel(rows(group), "group")),
    spoilSums: (group) => done((client) => client.eval(edit("row[5] = 0"), 1, rows(group), "group")),
    makeNewer: async (group) => {
      const stored = () => using((client) => client.hgetBuffer(rows(group), "group"));
      const before = await stored();
      await done((client) => client.eval(edit("row[1] = 'f2' row[#row + 1] = 'new'"), 1, rows(group), "group"));
      const newer = await stored();
      if (!newer?.includes("f2")) throw new Error(`the group's row was not made newer: ${newer?.toString("hex")}`);
      return async () => {
        // Says what became of it, should a call have changed it.
        const after = await stored();
        await done((client) => client.hset(rows(group), "group", before as Buffer));
        if (!after?.equals(newer))
          throw new Error(`the row of a newer version ${newer.toString("hex")} became ${after?.toString("hex")}`);
      };
    },
    spoilPermits: (key) => done((client) => client.hset(permitKeys(prefix, key).keys[0] as string, "row", "hello")),
    spoilBudget: (name) => done((client) => client.hset(budgetKeys(prefix, name).keys[0] as string, "row", "hello")),
    spoilBucket: (bucket) => done((client) => client.set(bucketKey(prefix, bucket), "hello")),
    spoilLimit: (target) => done((client) => client.hset(limitKey(prefix, target), "values", "hello")),
  };
}
