import type { BucketRequest } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EtcdStore, etcdStore } from "../src/index.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";
import { settledRequests } from "./support/metrics.ts";

let server: EtcdServer;
let client: Etcd3;
let driver: FaultyDriver;
beforeAll(async () => {
  server = await startEtcd({ control: true });
  client = new Etcd3({ hosts: [...server.endpoints] });
  driver = new FaultyDriver(server.endpoints);
});
afterAll(async () => {
  driver?.close();
  client?.close();
  await server?.stop();
});
const open = (prefix = "dt"): EtcdStore => etcdStore({ endpoints: server.endpoints, timeout: "10s", prefix });

/** So slow that nothing comes back while a test runs. */
const LIMIT = { max: 5, windowMs: 3_600_000, burst: 10 };

function taking(key: string, cost = 1, more: Partial<BucketRequest> = {}): BucketRequest {
  return { name: "api", key, limit: LIMIT, take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 }, ...more };
}

async function requests(): Promise<number> {
  const counts = await settledRequests(server.endpoints[0] as string);
  return ["Range", "Txn", "Put", "LeaseGrant"].reduce((sum, method) => sum + (counts.get(method) ?? 0), 0);
}

async function cost(act: () => Promise<unknown>): Promise<number> {
  const before = await requests();
  await act();
  return (await requests()) - before;
}

describe("buckets in etcd", () => {
  it("are one for all stores, served in their order, each with its own error", async () => {
    await using a = open();
    await using b = open();
    expect(
      await a.take([taking("shared", 4), taking("other"), taking("shared", 4), taking("shared", 4)]),
    ).toMatchObject([{ granted: 4 }, { granted: 1 }, { granted: 4 }, { granted: 0, limitedBy: "rate" }]);
    await client.put("dt//keyed/api/bad").value("hello");
    const unlike = { ...LIMIT, max: 50 };
    const answers = await b.take([taking("shared", 1, { limit: unlike }), taking("bad"), taking("shared", 2)]);
    expect(answers).toMatchObject([{ code: "DT_PACE_MISMATCH" }, { code: "DT_STORE_DATA" }, { granted: 2 }]);
    expect((answers[1] as Error).message).toContain("etcd key dt//keyed/api/bad");
    expect(await client.get("dt//keyed/api/bad").string()).toBe("hello");
    await b.resetBucket({ name: "api", key: "bad" });
    expect(await a.take([taking("bad", 10)])).toMatchObject([{ granted: 10 }]);
    expect((await a.inspectBucket({ name: "api", key: "bad" }))?.remaining).toBeCloseTo(0, 1);
  });

  it("takes one request for all that one process asks of a key at one moment, once it has read it", async () => {
    await using store = open();
    // Full again within the shortest lease.
    const limit = { max: 5, windowMs: 5_000, burst: 10 };
    // A look, a lease, and the write.
    expect(await cost(() => store.take([taking("cost", 1, { limit })]))).toBe(3);
    const together = Array.from({ length: 4 }, () => taking("cost", 1, { limit }));
    // The first is written alone, the others together. The time may be recorded once meanwhile.
    expect(await cost(() => store.take(together))).toBeLessThanOrEqual(3);
    const keys = Array.from({ length: 100 }, (_, i) => taking(`cold ${i}`));
    // Each of 100 keys is looked at and written; one lease is for all.
    expect(await cost(() => store.take(keys))).toBeLessThanOrEqual(201);
  });

  it("leave nothing behind: a key that was used once is on a lease of half a minute", async () => {
    await using store = open();
    await store.take([taking("once", 1, { limit: { max: 5, windowMs: 1_000, burst: 10 } })]);
    const { kvs } = await client.kv.range({ key: Buffer.from("dt//keyed/api/once") });
    const { TTL, grantedTTL } = await client.leaseClient.leaseTimeToLive({ ID: kvs[0]?.lease as string });
    expect(Number(grantedTTL)).toBe(30);
    expect(Number(TTL)).toBeGreaterThan(10);
  });

  it("are listed by name and key, whatever these are, and those of other prefixes are not", async () => {
    await using a = open("p");
    await using b = open("p/keyed");
    const names = [
      ["a", "b/c"],
      ["a/b", "c"],
      ["100% / {ü}", "100% / {ü}"],
    ] as const;
    for (const [name, key] of names) await a.take([{ ...taking(key), name }]);
    await b.take([taking("other")]);
    for (const odd of ["a b/c", "a", "a/b/c", "a/", "/b"]) await client.put(`p//keyed/${odd}`).value("x");
    const listed = (await a.listBuckets()).buckets.map(({ name, key }) => [name, key]);
    expect(listed.sort()).toEqual([...names].sort());
    expect([await a.listBudgets(), await a.list()]).toEqual([{ budgets: [] }, { groups: [] }]);
  });

  it("answer what was lost again, and count it once", async () => {
    const mine = storeOn(driver);
    const hold = { id: "h", seq: 1, spent: 0, keep: 0, forMs: 60_000 };
    const request = taking("lost", 1, { take: { cost: 1, maxWaitMs: 0, ahead: 3, aheadWithinMs: 0 }, hold });
    driver.loseAnswer();
    expect(await failure(mine.take([request]))).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
    expect(await mine.take([request])).toMatchObject([{ granted: 4, inHand: 4 }]);
  });
});

describe("limit records in etcd", () => {
  it("are keys of their own without a lease, for every store, and no change is lost", async () => {
    await using a = open("limits");
    await using b = open("limits");
    const target = { kind: "group", name: "mail/x" } as const;
    await Promise.all([1, 2, 3, 4].map((max) => [a, b][max % 2]?.setLimit(target, { values: { max }, by: "ann" })));
    const record = await a.readLimit(target);
    expect(record?.history.map(({ to }) => to?.["max"]).sort()).toEqual([1, 2, 3, 4]);
    const { kvs } = await client.kv.range({ key: Buffer.from("limits//limits/group/mail%2Fx") });
    expect(kvs[0]?.lease).toBe("0");
    expect(await b.readLimit({ kind: "budget", name: "mail/x" })).toBeUndefined();
  });

  it("of one key and of all keys are two, and count for requests with stored", async () => {
    await using store = open("limits");
    const values = { max: 7, windowMs: 3_600_000, burst: 20 };
    await store.setLimit({ kind: "keyed", name: "api", key: "k" }, { values, by: "ann" });
    expect(await store.readLimit({ kind: "keyed", name: "api" })).toBeUndefined();
    expect(await store.take([taking("k", 15, { stored: true })])).toMatchObject([{ granted: 15, limit: values }]);
    await client.put("limits//limits/keyed/api/k").value("nonsense");
    expect(await failure(store.readLimit({ kind: "keyed", name: "api", key: "k" }))).toMatchObject({
      code: "DT_STORE_DATA",
    });
    expect(await store.take([taking("k", 1, { stored: true }), taking("l")])).toMatchObject([
      { code: "DT_STORE_DATA" },
      { granted: 1 },
    ]);
  });
});
