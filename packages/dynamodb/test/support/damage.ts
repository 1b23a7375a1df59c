import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import type { StoreDamage } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import type { Item, Key } from "../../src/driver.ts";
import { DynamoDbDriver } from "../../src/dynamodb-driver.ts";
import { bucketKey, budgetKey, groupKeys, limitKey, permitKey } from "../../src/keys.ts";

interface StoredText {
  readonly group: readonly number[];
  readonly members: readonly (readonly unknown[])[];
}

/** What somebody else may do to a store's items. */
export function dynamodbDamage(config: () => DynamoDBClientConfig, table: string): Required<StoreDamage> {
  const using = async <T>(act: (driver: DynamoDbDriver) => Promise<T>): Promise<T> => {
    const use = { runtime: systemRuntime, table, timeoutMs: 10_000 };
    const driver = new DynamoDbDriver(new DynamoDBClient({ ...config(), maxAttempts: 1 }), use, true);
    try {
      return await act(driver);
    } finally {
      driver.close();
    }
  };
  const put = async (key: Key, item: Item): Promise<void> => {
    await using((driver) => driver.put({ ...item, ...key }, {}));
  };
  const keyOf = (group: string): Key => groupKeys("dt", group).ledger;
  const read = async (key: Key): Promise<Item> => (await using((driver) => driver.get(key))) as Item;
  const edit = async (group: string, change: (text: StoredText) => Partial<StoredText>): Promise<void> => {
    const item = await read(keyOf(group));
    const { text } = item;
    const stored = JSON.parse(text as string) as StoredText;
    await put(keyOf(group), { ...item, text: JSON.stringify({ ...stored, ...change(stored) }) });
  };
  const spoilText = async (key: Key): Promise<void> => put(key, { ...(await read(key)), text: "hello" });
  return {
    spoilMember: (group, { incarnation }) =>
      edit(group, ({ members }) => ({
        members: members.map((row) => (row.includes(incarnation) ? row.slice(0, -1) : row)),
      })),
    spoilGroup: (group) => edit(group, ({ group: row }) => ({ group: row.slice(0, -1) })),
    deleteGroup: async (group) => {
      await using((driver) => driver.delete(keyOf(group), {}));
    },
    spoilSums: (group) => edit(group, ({ group: row }) => ({ group: row.with(3, 0) })),
    makeNewer: async (group) => {
      const before = await read(keyOf(group));
      await put(keyOf(group), { ...before, v: "f2", more: "fields" });
      return () => put(keyOf(group), before);
    },
    spoilPermits: (key) => spoilText(permitKey("dt", key)),
    spoilBudget: (budget) => spoilText(budgetKey("dt", budget)),
    spoilBucket: (bucket) => spoilText(bucketKey("dt", bucket)),
    spoilLimit: (target) => spoilText(limitKey("dt", target)),
  };
}
