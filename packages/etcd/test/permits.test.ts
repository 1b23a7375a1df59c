import { createPacer, systemRuntime } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EtcdStore, etcdStore } from "../src/index.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";
import { settledRequests } from "./support/metrics.ts";
import { permitRequest } from "./support/permit-request.ts";

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
const open = (): EtcdStore => etcdStore({ endpoints: server.endpoints, timeout: "10s" });

describe("permits in etcd", () => {
  it("are spaced between stores, and an instant given back goes to the next", async () => {
    await using a = open();
    await using b = open();
    const every = { everyMs: 60_000 };
    const requests = [permitRequest(every), permitRequest(every), permitRequest(every)] as const;
    const first = await a.reserve("shared", requests[0]);
    const second = await b.reserve("shared", requests[1]);
    const third = await a.reserve("shared", requests[2]);
    expect(instantOf(second, 0) - instantOf(first, 0)).toBeCloseTo(60_000, 3);
    expect(instantOf(third, 0) - instantOf(second, 0)).toBeCloseTo(60_000, 3);
    await b.release("shared", { id: requests[1].id, keep: 0 });
    expect(instantOf(await a.reserve("shared", permitRequest(every)), 0)).toBe(instantOf(second, 0));
    expect((await b.reserve("another", permitRequest())).reservedAhead).toBe(0);
  });

  it("take one request each where one process uses a key, and two where several do", async () => {
    await using a = open();
    await using b = open();
    const count = async (): Promise<number> => {
      const counts = await settledRequests(server.endpoints[0] as string);
      return ["Range", "Txn", "Put", "LeaseGrant"].reduce((sum, method) => sum + (counts.get(method) ?? 0), 0);
    };
    const cost = async (act: () => Promise<unknown>): Promise<number> => {
      const before = await count();
      await act();
      return (await count()) - before;
    };
    const take = (store: EtcdStore) => store.reserve("cost", permitRequest());
    const several = async (stores: readonly EtcdStore[]): Promise<void> => {
      for (let i = 0; i < 10; i++) for (const store of stores) await take(store);
    };
    // A look, a lease for the next minutes, and the write.
    expect(await cost(() => take(a))).toBe(3);
    expect(await cost(() => several([a]))).toBe(10);
    await b.reserve("lease", permitRequest({ everyMs: 1 }));
    // The time of a shared key is recorded now and then, at most four times a second.
    const startMs = systemRuntime.now();
    const together = await cost(() => several([a, b]));
    expect(together).toBeGreaterThanOrEqual(39);
    expect(together).toBeLessThanOrEqual(42 + 2 * Math.ceil((systemRuntime.now() - startMs) / 250));
  });

  it("disappear by themselves some time after the last one: their key is on a lease that is never renewed", async () => {
    await using store = open();
    await store.reserve("garbage", permitRequest());
    await store.reserve("later", permitRequest({ keepMs: 3_600_000 }));
    const ttlOf = async (key: string): Promise<number> => {
      const { kvs } = await client.kv.range({ key: Buffer.from(`dt//permits/${key}`) });
      return Number((await client.leaseClient.leaseTimeToLive({ ID: kvs[0]?.lease as string })).TTL);
    };
    expect(await ttlOf("garbage")).toBeGreaterThan(60);
    expect(await ttlOf("garbage")).toBeLessThanOrEqual(120);
    expect(await ttlOf("later")).toBeGreaterThan(3_600);
  });

  it("that are reserved for a long time ahead are on a lease that is longer still", async () => {
    await using store = open();
    for (let i = 0; i < 4; i++) await store.reserve("ahead", permitRequest({ everyMs: 600_000 }));
    const { kvs } = await client.kv.range({ key: Buffer.from("dt//permits/ahead") });
    const { TTL } = await client.leaseClient.leaseTimeToLive({ ID: kvs[0]?.lease as string });
    expect(Number(TTL)).toBeGreaterThan(2_400);
  });

  it("go on when their lease is gone", async () => {
    await using store = open();
    await store.reserve("revoked", permitRequest());
    const { kvs } = await client.kv.range({ key: Buffer.from("dt//permits/revoked") });
    await client.leaseClient.leaseRevoke({ ID: kvs[0]?.lease as string });
    expect((await store.reserve("revoked", permitRequest())).granted).toBe(1);
  });

  it("wake who waits when an instant is given back, and for nothing else", async () => {
    await using a = open();
    await using b = open();
    const given = permitRequest();
    await a.reserve("pushed", given);
    let hints = 0;
    const stop = await b.onPermitHint("pushed", () => {
      hints += 1;
    });
    await a.reserve("pushed", permitRequest());
    await expect.poll(() => hints).toBe(1);
    for (let i = 0; i < 3; i++) await a.reserve("pushed", permitRequest());
    await a.release("pushed", { id: given.id, keep: 0 });
    await expect.poll(() => hints).toBe(2);
    stop();
  });

  it("do not see groups, nor permits of other prefixes", async () => {
    await using a = etcdStore({ endpoints: server.endpoints, timeout: "10s", prefix: "p" });
    await using b = etcdStore({ endpoints: server.endpoints, timeout: "10s", prefix: "p/permits" });
    await a.reserve("k/x", permitRequest());
    expect((await b.reserve("k/x", permitRequest())).reservedAhead).toBe(0);
    expect((await b.inspect("k")).memberCount).toBe(0);
    expect(await client.getAll().prefix("p/").keys()).toHaveLength(2);
  });

  it("that are something else are named in the error, and left as they are", async () => {
    await using store = open();
    await client.put("dt//permits/bad").value('{"v":"f1","row":[1,2,3]}');
    const { code, message } = await failure(store.reserve("bad", permitRequest()));
    expect(code).toBe("DT_STORE_DATA");
    expect(message).toContain("etcd key dt//permits/bad");
    expect(await client.get("dt//permits/bad").string()).toBe('{"v":"f1","row":[1,2,3]}');
  });
});

describe("when the answer is lost", () => {
  it("the same request is answered the same permit, and the next one comes after it", async () => {
    const [mine, other] = [storeOn(driver), storeOn(driver)];
    const wanted = permitRequest();
    driver.loseAnswer();
    expect(await failure(mine.reserve("lost", wanted))).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
    const next = await other.reserve("lost", permitRequest());
    const again = await mine.reserve("lost", wanted);
    expect(again.granted).toBe(1);
    expect(instantOf(next, 0) - instantOf(again, 0)).toBeCloseTo(1_000, 3);
  });

  it("a release has freed once, however often it is repeated", async () => {
    const mine = storeOn(driver);
    const [first, second] = [permitRequest(), permitRequest()];
    await mine.reserve("freed", first);
    const freed = instantOf(await mine.reserve("freed", second), 0);
    await mine.reserve("freed", permitRequest());
    driver.loseAnswer();
    await failure(mine.release("freed", { id: second.id, keep: 0 }));
    await mine.release("freed", { id: second.id, keep: 0 });
    expect(instantOf(await mine.reserve("freed", permitRequest()), 0)).toBe(freed);
    expect(instantOf(await mine.reserve("freed", permitRequest()), 0)).toBeGreaterThan(freed + 1_500);
  });

  it("a write that comes late, after another one, does nothing", async () => {
    const [mine, other] = [storeOn(driver), storeOn(driver)];
    await mine.reserve("late", permitRequest());
    let sendNow = async (): Promise<unknown> => undefined;
    driver.next = async (_, send) => {
      sendNow = send;
      throw new Error("4 DEADLINE_EXCEEDED: Deadline exceeded");
    };
    await failure(mine.reserve("late", permitRequest()));
    const next = await other.reserve("late", permitRequest());
    expect(await sendNow()).toMatchObject({ done: false });
    const after = await other.reserve("late", permitRequest());
    expect(instantOf(after, 0) - instantOf(next, 0)).toBeCloseTo(1_000, 3);
  });
});

describe("a pacer on etcd", () => {
  it("serves its callers at their distance, and a caller that leaves makes room for the next process", async () => {
    await using a = open();
    await using b = open();
    await using mine = createPacer({ name: "pacer", every: 150, store: a });
    await using other = createPacer({ name: "pacer", every: 150, store: b, maxReserved: 2 });
    await mine.acquire();
    const controller = new AbortController();
    const leaving = [mine.acquire(1, { signal: controller.signal }), mine.acquire(1, { signal: controller.signal })];
    const startMs = systemRuntime.now();
    const waiting = other.acquire();
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort(new Error("gone"));
    for (const call of leaving) await expect(call).rejects.toThrow("gone");
    expect(await waiting).toBeDefined();
    expect(systemRuntime.now() - startMs).toBeLessThan(2_000);
  });
});
