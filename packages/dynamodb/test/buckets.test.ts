import type { BucketRequest } from "@dt/core";
import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DynamoDbStore, dynamodbStore } from "../src/index.ts";
import { countingClient, minus } from "./support/counting-client.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";
import { makeTable } from "./support/table.ts";

let server: DynamoDbServer;
let driver: FaultyDriver;
const config = () => ({ endpoint: server.url, region: server.region, credentials: server.credentials });
const open = (prefix = "dt"): DynamoDbStore =>
  dynamodbStore({ table: "throttle", timeout: "10s", prefix, config: config() });
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  await makeTable(server, "throttle");
  driver = new FaultyDriver(config(), "throttle");
});
afterAll(async () => {
  driver?.close();
  await server?.stop();
});

/** So slow that nothing comes back while a test runs. */
const LIMIT = { max: 5, windowMs: 3_600_000, burst: 10 };

function taking(key: string, cost = 1, more: Partial<BucketRequest> = {}): BucketRequest {
  return { name: "api", key, limit: LIMIT, take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 }, ...more };
}

describe("buckets in DynamoDB", () => {
  it("are one for all stores, served in their order, each with its own error", async () => {
    await using a = open();
    await using b = open();
    expect(
      await a.take([taking("shared", 4), taking("other"), taking("shared", 4), taking("shared", 4)]),
    ).toMatchObject([{ granted: 4 }, { granted: 1 }, { granted: 4 }, { granted: 0, limitedBy: "rate" }]);
    const bad = { pk: "dt#keyed#bad", sk: "api" };
    for (const broken of [{ text: "hello", writer: "w" }, { text: 7, writer: "w" }, { other: true }]) {
      await driver.put({ ...bad, ...broken }, {});
      const unlike = { ...LIMIT, max: 50 };
      const answers = await b.take([taking("shared", 1, { limit: unlike }), taking("bad"), taking("other")]);
      expect(answers).toMatchObject([{ code: "DT_PACE_MISMATCH" }, { code: "DT_STORE_DATA" }, { granted: 1 }]);
      expect((answers[1] as Error).message).toContain("DynamoDB item dt#keyed#bad / api");
      expect(await driver.get(bad)).toEqual({ ...bad, ...broken });
      await b.resetBucket({ name: "api", key: "bad" });
      expect(await a.take([taking("bad", 10)])).toMatchObject([{ granted: 10 }]);
    }
  });

  it("takes a consistent read and a write for a key, and a write for all that one process asks afterwards", async () => {
    const { client, spent } = countingClient(config());
    await using store = dynamodbStore({ table: "throttle", timeout: "10s", client });
    await store.take(Array.from({ length: 50 }, (_, i) => taking(`cold ${i}`)));
    expect(spent()).toMatchObject({ GetItemCommand: 50, PutItemCommand: 50 });
    const before = spent();
    await store.take(Array.from({ length: 4 }, () => taking("cold 0")));
    const { PutItemCommand: writes, GetItemCommand: reads } = minus(spent(), before);
    expect(writes).toBeLessThanOrEqual(2);
    expect(reads ?? 0).toBe(0);
    client.destroy();
  });

  it("expires a minute after it means nothing any more", async () => {
    await using store = open();
    await store.take([taking("once", 1, { limit: { max: 5, windowMs: 1_000, burst: 10 } })]);
    const { expires } = { ...(await driver.get({ pk: "dt#keyed#once", sk: "api" })) };
    const afterMs = Number(expires) * 1_000 - Date.now();
    expect(afterMs).toBeGreaterThan(60_000);
    expect(afterMs).toBeLessThan(120_000);
  });

  it("are listed by name and key, whatever these are, and those of other prefixes are not", async () => {
    await using a = open("p");
    await using b = open("p2");
    const long = "ü".repeat(512);
    const names = [
      ["a", "b/c"],
      ["a/b", "c"],
      [long, long],
    ] as const;
    for (const [name, key] of names) await a.take([{ ...taking(key), name }]);
    await b.take([taking("other")]);
    const listed = (await a.listBuckets()).buckets.map(({ name, key }) => [name, key]);
    expect(listed.sort()).toEqual([...names].sort());
    expect([await a.listBudgets(), await a.list()]).toEqual([{ budgets: [] }, { groups: [] }]);
  });

  it("answer what was lost again, and count it once", async () => {
    const mine = storeOn(driver);
    const hold = { id: "h", seq: 1, spent: 0, keep: 0, forMs: 60_000 };
    const request = taking("lost", 1, { take: { cost: 1, maxWaitMs: 0, ahead: 3, aheadWithinMs: 0 }, hold });
    driver.loseAnswer();
    expect(await failure(mine.take([request]))).toMatchObject({ effect: "unknown" });
    expect(await mine.take([request])).toMatchObject([{ granted: 4, inHand: 4 }]);
  });
});

describe("limit records in DynamoDB", () => {
  it("are items of their own that do not expire, for every store, and no change is lost", async () => {
    await using a = open("limits");
    await using b = open("limits");
    const target = { kind: "group", name: "mail#x" } as const;
    await Promise.all([1, 2, 3, 4].map((max) => [a, b][max % 2]?.setLimit(target, { values: { max }, by: "ann" })));
    const record = await a.readLimit(target);
    expect(record?.history.map(({ to }) => to?.["max"]).sort()).toEqual([1, 2, 3, 4]);
    expect(await driver.get({ pk: "limits#limit#group#mail#x", sk: "limit" })).not.toHaveProperty("expires");
    expect(await b.readLimit({ kind: "budget", name: "mail#x" })).toBeUndefined();
  });

  it("of one key and of all keys are two, and count for requests with stored", async () => {
    await using store = open("limits");
    const values = { max: 7, windowMs: 3_600_000, burst: 20 };
    const long = "ü".repeat(512);
    for (const key of ["k", long]) {
      await store.setLimit({ kind: "keyed", name: long, key }, { values, by: "ann" });
      expect(await store.readLimit({ kind: "keyed", name: long })).toBeUndefined();
      const request = { ...taking(key, 15, { stored: true }), name: long };
      expect(await store.take([request])).toMatchObject([{ granted: 15, limit: values }]);
    }
    await driver.put({ pk: `limits#limit-of-key#${long}`, sk: "k", text: "nonsense", writer: "w" }, {});
    const requests = [taking("k", 1, { stored: true, name: long }), taking("l")];
    expect(await store.take(requests)).toMatchObject([{ code: "DT_STORE_DATA" }, { granted: 1 }]);
  });
});
