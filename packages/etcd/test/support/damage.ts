import type { StoreDamage } from "@dt/conformance";
import { Etcd3 } from "etcd3";
import { bucketKey, budgetKey, groupKeys, limitKey, permitKey } from "../../src/keys.ts";

/** What somebody else may do to a store's keys. */
export function etcdDamage(endpoints: () => readonly string[]): Required<StoreDamage> {
  const using = async <T>(act: (client: Etcd3) => PromiseLike<T>): Promise<T> => {
    const client = new Etcd3({ hosts: [...endpoints()] });
    try {
      return await act(client);
    } finally {
      client.close();
    }
  };
  const put = async (key: string, value: string): Promise<void> => {
    await using((client) => client.put(key).value(value));
  };
  const keyOf = (group: string): string => groupKeys("dt", group).group;
  const read = async (group: string): Promise<string> =>
    (await using((client) => client.get(keyOf(group)).string())) as string;
  return {
    spoilMember: (group, { incarnation }) => put(groupKeys("dt", group).memberOf(incarnation), "{}"),
    spoilGroup: (group) => put(keyOf(group), "hello"),
    deleteGroup: async (group) => {
      await using((client) => client.delete().key(keyOf(group)));
    },
    spoilSums: async (group) => {
      const stored = JSON.parse(await read(group)) as { readonly row: readonly number[] };
      await put(keyOf(group), JSON.stringify({ ...stored, row: stored.row.with(3, 0) }));
    },
    makeNewer: async (group) => {
      const before = await read(group);
      await put(keyOf(group), JSON.stringify({ ...(JSON.parse(before) as object), v: "f2", more: "fields" }));
      return () => put(keyOf(group), before);
    },
    spoilBucket: (bucket) => put(bucketKey("dt", bucket), '{"v":"f1","row":["f1",[1,2,3],[]]}'),
    spoilBudget: (budget) => put(budgetKey("dt", budget), '{"v":"f1","row":["f1",[1,2,3],[]]}'),
    spoilLimit: (target) => put(limitKey("dt", target), "hello"),
    spoilPermits: (key) => put(permitKey("dt", key), '{"v":"f1","row":[1,2,3]}'),
  };
}
