import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { newcomer } from "@dt-tooling/simulator/requests";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EtcdStore, etcdStore } from "../src/index.ts";
import { groupKeys, nameOf, permitKey } from "../src/keys.ts";
import { countRequests } from "./support/metrics.ts";
import { permitRequest } from "./support/permit-request.ts";

let server: EtcdServer;
let client: Etcd3;
beforeAll(async () => {
  server = await startEtcd({});
  client = new Etcd3({ hosts: [...server.endpoints] });
});
afterAll(async () => {
  client?.close();
  await server?.stop();
});
const open = (prefix: string): EtcdStore => etcdStore({ endpoints: server.endpoints, prefix, timeout: "10s" });

describe("a list", () => {
  it("jumps past a group with more keys than are read at once, in one request for each page", async () => {
    await using store = open("large");
    for (const group of ["a", "a-", "b", "c/d"]) await store.register(group, newcomer());
    const { all } = groupKeys("large", "b");
    // As many as 600 members have. Each request takes some dozens.
    for (let from = 0; from < 2_400; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, i) => client.put(`${all}zz/${from + i}`).value("x")));
    const requests = await countRequests(server.endpoints, ["Range", "Txn"]);
    const first = await store.list();
    expect(first.groups).toEqual(["a-", "a", "b"]);
    expect(await store.list(first.next)).toEqual({ groups: ["c/d"] });
    expect((await countRequests(server.endpoints, ["Range", "Txn"])) - requests).toBe(2);
  });

  it("has the names of its prefix, and of no other", async () => {
    await using store = open("names");
    await using nested = open("names/more");
    for (const [one, name] of [
      [store, "100% / {ü}"],
      [nested, "nested"],
    ] as const) {
      await one.register(name, newcomer());
      await one.reserve(name, permitRequest());
    }
    await client.put("names//groups/%zz/head").value("x");
    await client.put("names//groups//head").value("x");
    await client.put("names//permits/a b").value("x");
    expect(await store.list()).toEqual({ groups: ["100% / {ü}"] });
    expect(await store.listPermits()).toEqual({ keys: ["100% / {ü}"] });
    expect(await nested.list()).toEqual({ groups: ["nested"] });
  });
});

describe("an inspection of permits", () => {
  it("writes nothing, and tells the time of the last record and what has passed since it was seen", async () => {
    await using store = open("inspected");
    await using other = open("inspected");
    const { storeTimeMs } = await store.reserve("k", permitRequest({ everyMs: 60_000, terms: "one a minute" }));
    const before = await client.get(permitKey("inspected", "k")).exec();
    const own = await store.inspectPermits("k");
    expect(own).toMatchObject({ terms: "one a minute", known: 1, freed: 0, waiting: 0 });
    expect((own?.reservedUntilMs ?? 0) - storeTimeMs).toBeCloseTo(60_000, 1);
    const first = await other.inspectPermits("k");
    const second = await other.inspectPermits("k");
    expect(first?.storeTimeMs).toBeGreaterThanOrEqual(storeTimeMs);
    expect(second?.storeTimeMs).toBeGreaterThan(first?.storeTimeMs ?? 0);
    expect((await client.get(permitKey("inspected", "k")).exec()).kvs[0]?.mod_revision).toBe(
      before.kvs[0]?.mod_revision,
    );
  });
});

it.each([
  ["a", "a"],
  ["a%2Fb", "a/b"],
  ["%C3%BC", "ü"],
  ["", undefined],
  ["%zz", undefined],
  ["a b", undefined],
  ["%41", undefined],
])("%j in a key is the name %j", (encoded, name) => expect(nameOf(encoded)).toBe(name));
