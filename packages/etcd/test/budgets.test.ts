import { systemRuntime } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { spendRequest } from "@dt-tooling/simulator/requests";
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

/** A request without a reservation. */
const settling = (id: string, costs: readonly number[]) => {
  const { reserve: _, ...request } = spendRequest();
  return { ...request, settle: [{ id, costs, measured: true }] };
};

describe("a budget in etcd", () => {
  it("is one for all stores, and a settlement of one gives back to the others", async () => {
    await using a = open();
    await using b = open();
    const first = spendRequest({ costs: [1, 700.25] });
    expect(await a.spend("shared", first)).toMatchObject({ granted: true, rests: [9, 299.75] });
    const second = spendRequest({ costs: [1, 500] });
    expect(await b.spend("shared", second)).toMatchObject({ granted: false, limitedBy: 1, rests: [9, 299.75] });
    expect(await b.spend("shared", settling(first.reserve.id, [1, 100]))).toMatchObject({ rests: [9, 900] });
    expect(await a.spend("shared", second)).toMatchObject({ granted: true, rests: [8, 400] });
    expect(await b.spend("another", spendRequest())).toMatchObject({ rests: [9, 900] });
  });

  it("takes one request each where one process uses it, and two where several do", async () => {
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
    const spend = (store: EtcdStore) => store.spend("cost", spendRequest({ costs: [0, 1] }));
    const several = async (stores: readonly EtcdStore[]): Promise<void> => {
      for (let i = 0; i < 10; i++) for (const store of stores) await spend(store);
    };
    // A look, a lease for the next minutes, and the write.
    expect(await cost(() => spend(a))).toBe(3);
    expect(await cost(() => several([a]))).toBe(10);
    await b.spend("lease", spendRequest());
    // The time of a shared budget is recorded now and then, at most four times a second.
    const startMs = systemRuntime.now();
    const together = await cost(() => several([a, b]));
    expect(together).toBeGreaterThanOrEqual(39);
    expect(together).toBeLessThanOrEqual(42 + 2 * Math.ceil((systemRuntime.now() - startMs) / 250));
  });

  it("disappears by itself some time after its windows are empty and its last lease may be settled", async () => {
    await using store = open();
    await store.spend("garbage", spendRequest({ keepMs: 0 }));
    await store.spend("later", spendRequest({ keepMs: 3_600_000 }));
    const ttlOf = async (budget: string): Promise<number> => {
      const { kvs } = await client.kv.range({ key: Buffer.from(`dt//budgets/${budget}`) });
      return Number((await client.leaseClient.leaseTimeToLive({ ID: kvs[0]?.lease as string })).TTL);
    };
    expect(await ttlOf("garbage")).toBeGreaterThan(180);
    expect(await ttlOf("garbage")).toBeLessThanOrEqual(480);
    expect(await ttlOf("later")).toBeGreaterThan(3_660);
  });

  it("goes on when its lease is gone", async () => {
    await using store = open();
    await store.spend("revoked", spendRequest());
    const { kvs } = await client.kv.range({ key: Buffer.from("dt//budgets/revoked") });
    await client.leaseClient.leaseRevoke({ ID: kvs[0]?.lease as string });
    expect((await store.spend("revoked", spendRequest())).granted).toBe(true);
  });

  it("is no key of permits and no group, nor a budget of another prefix", async () => {
    await using a = open("p");
    await using b = open("p/budgets");
    const name = "k/x 100%";
    await a.spend(name, spendRequest());
    expect(await b.spend(name, spendRequest())).toMatchObject({ rests: [9, 900] });
    expect(await a.inspectPermits(name)).toBeUndefined();
    await client.put("p//budgets/a b").value("x");
    expect(await a.listBudgets()).toEqual({ budgets: [name] });
    expect([await a.listPermits(), await a.list()]).toEqual([{ keys: [] }, { groups: [] }]);
    expect(await client.getAll().prefix("p/").keys()).toHaveLength(3);
  });

  it("that is something else is named in the error, left as it is, and made good by a reset", async () => {
    await using store = open();
    const damaged = '{"v":"f1","row":["f1",[1,2,3],[]]}';
    await client.put("dt//budgets/bad").value(damaged);
    const { code, message } = await failure(store.spend("bad", spendRequest()));
    expect(code).toBe("DT_STORE_DATA");
    expect(message).toContain("etcd key dt//budgets/bad");
    expect(await client.get("dt//budgets/bad").string()).toBe(damaged);
    await store.resetBudget("bad");
    expect(await store.inspectBudget("bad")).toBeUndefined();
    expect(await store.spend("bad", spendRequest())).toMatchObject({ rests: [9, 900] });
  });

  it("is refused with the remedy when more leases are open than one value can hold", async () => {
    await using store = open();
    const limits = [{ name: "tokens", max: 1e9, windowMs: 60_000, burst: 1e9 }];
    const spend = () => store.spend("full", spendRequest({ costs: [1], keepMs: 3_600_000 }, { limits }));
    const fill = async (): Promise<void> => {
      for (let i = 0; i < 100; i++) await Promise.all(Array.from({ length: 64 }, spend));
    };
    const { code, message } = await failure(fill());
    expect(code).toBe("DT_STORE_UNAVAILABLE");
    expect(message).toContain("leases of this budget are not settled");
    expect((await store.inspectBudget("full"))?.open).toBeGreaterThan(3_000);
  });
});

describe("when the answer is lost", () => {
  it("the same request is answered the same lease, and spends once", async () => {
    const [mine, other] = [storeOn(driver), storeOn(driver)];
    const wanted = spendRequest({ costs: [1, 300] });
    driver.loseAnswer();
    expect(await failure(mine.spend("lost", wanted))).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
    expect(await other.spend("lost", spendRequest())).toMatchObject({ rests: [8, 600] });
    expect(await mine.spend("lost", wanted)).toMatchObject({ granted: true, rests: [8, 600] });
  });

  it("a settlement has given back once, however often it is repeated", async () => {
    const mine = storeOn(driver);
    const wanted = spendRequest({ costs: [1, 300] });
    await mine.spend("settled", wanted);
    await mine.spend("settled", spendRequest());
    driver.loseAnswer();
    await failure(mine.spend("settled", settling(wanted.reserve.id, [0, 50])));
    expect(await mine.spend("settled", settling(wanted.reserve.id, [0, 50]))).toMatchObject({ rests: [9, 850] });
  });

  it("a write that comes late, after another one, does nothing", async () => {
    const [mine, other] = [storeOn(driver), storeOn(driver)];
    await mine.spend("late", spendRequest());
    let sendNow = async (): Promise<unknown> => undefined;
    driver.next = async (_, send) => {
      sendNow = send;
      throw new Error("4 DEADLINE_EXCEEDED: Deadline exceeded");
    };
    await failure(mine.spend("late", spendRequest()));
    await other.spend("late", spendRequest());
    expect(await sendNow()).toMatchObject({ done: false });
    expect(await other.spend("late", spendRequest())).toMatchObject({ rests: [7, 700] });
  });
});

it("an inspection writes nothing, and tells the time of the last record and what has passed since it was seen", async () => {
  await using store = open();
  await using other = open();
  const { storeTimeMs } = await store.spend("inspected", spendRequest({}, { terms: "10 a minute" }));
  const revision = async () => (await client.get("dt//budgets/inspected").exec()).kvs[0]?.mod_revision;
  const before = await revision();
  const limits = [
    { name: "calls", spent: 1 },
    { name: "tokens", spent: 100 },
  ];
  expect(await store.inspectBudget("inspected")).toMatchObject({ terms: "10 a minute", open: 1, limits });
  const first = await other.inspectBudget("inspected");
  const second = await other.inspectBudget("inspected");
  expect(first?.storeTimeMs).toBeGreaterThanOrEqual(storeTimeMs);
  expect(second?.storeTimeMs).toBeGreaterThan(first?.storeTimeMs ?? 0);
  expect(await revision()).toBe(before);
});
