import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { Member } from "@dt-tooling/simulator/hybrid";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { etcdStore } from "../src/index.ts";
import { groupKeys } from "../src/keys.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";

const WEEK_SECONDS = 7 * 86_400;
const STALE_MS = 4_000;
/** The lease of an empty group lasts for its stale age then, and a second; etcd ends it within about one more. */
const SHORT = { keepEmptyMs: 0 };

let server: EtcdServer;
let driver: FaultyDriver;
let client: Etcd3;
beforeAll(async () => {
  server = await startEtcd();
  driver = new FaultyDriver(server.endpoints);
  client = new Etcd3({ hosts: [...server.endpoints] });
});
afterAll(async () => {
  client?.close();
  driver?.close();
  await server?.stop();
});

let group = "";
let groups = 0;
beforeEach(() => {
  group = `vacant-${groups++}`;
});

/** The group's keys, each with its lease and the revision of its last change. "0" is no lease. */
async function keysOf(
  name: string,
): Promise<ReadonlyMap<string, { readonly lease: string; readonly revision: string }>> {
  const { all } = groupKeys("dt", name);
  const { kvs } = await client.kv.range({ key: Buffer.from(all), range_end: Buffer.from(`${all.slice(0, -1)}0`) });
  return new Map(
    kvs.map(({ key, lease, mod_revision: revision }) => [key.toString().slice(all.length), { lease, revision }]),
  );
}

async function leasesOf(name: string): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries([...(await keysOf(name))].map(([key, { lease }]) => [key, lease]));
}

/** The one lease that the keys of an empty group are on. */
async function leaseOf(name: string): Promise<string> {
  const leases = new Set(Object.values(await leasesOf(name)));
  expect(leases.size).toBe(1);
  expect(leases).not.toContain("0");
  return [...leases][0] as string;
}

/** Seconds; -1 when the lease has ended. */
async function secondsLeft(lease: string): Promise<number> {
  return Number((await client.leaseClient.leaseTimeToLive({ ID: lease })).TTL);
}

function ends(lease: string): Promise<void> {
  return expect.poll(() => secondsLeft(lease)).toBe(-1);
}

const member = (store: ReturnType<typeof storeOn>, id: string, options = {}): Member =>
  new Member(store, group, id, { staleAfterMs: STALE_MS, ...options });

/** Members whose level is to be resumed. */
const RESUMES = { resumeWithinMs: 3_600_000 };

describe("a group that everybody left", () => {
  it("is on a lease of a week and what it must be remembered for; it is on none while somebody is there, and on the same one when it is left again", async () => {
    await using store = etcdStore({ endpoints: server.endpoints, timeout: "10s" });
    const a = new Member(store, group, "a", RESUMES);
    await a.join();
    expect(new Set(Object.values(await leasesOf(group)).map((lease) => lease === "0"))).toContain(true);
    await store.deregister(group, a.ref, { seq: 9, level: 7 });
    const first = await leaseOf(group);
    expect(Object.keys(await leasesOf(group))).toEqual(["group", "head", "levels"]);
    const left = await secondsLeft(first);
    expect(left).toBeGreaterThan(WEEK_SECONDS + 3_600 - 60);
    expect(left).toBeLessThanOrEqual(WEEK_SECONDS + 3_600 + 2);

    const b = new Member(store, group, "b");
    await b.join();
    expect(await leasesOf(group)).toMatchObject({ group: "0", head: "0", levels: "0" });
    await b.leave();
    expect(await leaseOf(group)).toBe(first);
  });

  it("disappears whole, and whoever comes then begins a group that learns", async () => {
    const store = storeOn(driver, SHORT);
    const [a, b] = [member(store, "a", { ...RESUMES, resumeWithinMs: 1_000 }), member(store, "b")];
    await a.join();
    await b.join();
    await a.leave();
    expect(await leasesOf(group)).toMatchObject({ group: "0", head: "0" });
    await store.deregister(group, b.ref, { seq: 9, level: null });
    const lease = await leaseOf(group);
    const left = await secondsLeft(lease);
    expect(left).toBeGreaterThanOrEqual(STALE_MS / 1_000 - 1);
    expect(left).toBeLessThanOrEqual(STALE_MS / 1_000 + 1);
    await expect.poll(() => keysOf(group).then(({ size }) => size)).toBe(0);
    const late = member(storeOn(driver, SHORT), "late", { learningMs: STALE_MS });
    expect(await late.join()).toMatchObject({ learning: true, held: 0, members: 1 });
  });

  it("that is joined in time stays, with the level that was to be resumed, when its lease ends", {
    timeout: 60_000,
  }, async () => {
    const store = storeOn(driver, SHORT);
    const a = member(store, "a", { resumeWithinMs: 6_000 });
    const { generation } = await a.join();
    await store.deregister(group, a.ref, { seq: 9, level: 7 });
    const lease = await leaseOf(group);
    const other = storeOn(driver, SHORT);
    // Of long stale ages: nobody else is to be removed or kept alive here.
    const b = new Member(other, group, "b", { staleAfterMs: 600_000 });
    const joined = await b.join();
    expect(joined.generation).toBeGreaterThan(generation);
    await ends(lease);
    expect(await leasesOf(group)).toMatchObject({ group: "0", head: "0", levels: "0" });
    expect(await b.beat()).toMatchObject({ status: "agree", generation: joined.generation, members: 1 });
    expect(await other.repair?.(group)).toEqual({ found: [], members: 1, reset: false });
  });

  it("gives back the level of who left it, also when all of its keys were moved to a lease and back", async () => {
    const store = storeOn(driver, SHORT);
    const [a, b] = [member(store, "a", RESUMES), member(store, "b")];
    await a.join();
    await store.deregister(group, a.ref, { seq: 9, level: 7 });
    await b.join();
    await b.leave();
    expect(await member(store, "a", RESUMES).register({ incarnation: "next" })).toMatchObject({ resumeLevel: 7 });
  });

  it("stays on its lease while those who were removed go on asking, and the time in its head is written anew", {
    timeout: 60_000,
  }, async () => {
    const [store, other] = [storeOn(driver, SHORT), storeOn(driver, SHORT)];
    const a = member(store, "a");
    await a.join();
    await other.deregister(group, a.ref, { seq: 9, level: null });
    const [lease, before] = [await leaseOf(group), (await keysOf(group)).get("head")];
    let written = 0;
    const asks = async (): Promise<number> => {
      expect((await a.sync()).status).toBe("unknown");
      const keys = await keysOf(group);
      const head = keys.get("head");
      if (head && head.revision !== before?.revision) {
        written += 1;
        expect(head.lease).toBe(lease);
      }
      return keys.size;
    };
    await expect.poll(asks).toBe(0);
    expect(written).toBeGreaterThan(0);
  });

  it("is one, too, whose last member crashed and was removed by a process that is no member", {
    timeout: 60_000,
  }, async () => {
    const [store, other] = [storeOn(driver, SHORT), storeOn(driver, SHORT)];
    const [crashed, stranger] = [member(store, "crashed"), member(other, "stranger", { staleAfterMs: 5_000 })];
    await crashed.join();
    await stranger.join();
    await store.deregister(group, stranger.ref, { seq: 9, level: null });
    const asks = async (): Promise<number> => {
      expect((await stranger.sync()).status).toBe("unknown");
      return (await other.inspect(group)).memberCount;
    };
    await expect.poll(asks).toBe(0);
    await leaseOf(group);
    await expect.poll(() => keysOf(group).then(({ size }) => size)).toBe(0);
  });

  it("is on a lease after a reset as well", async () => {
    const store = storeOn(driver);
    const a = member(store, "a", RESUMES);
    await a.join();
    await store.deregister(group, a.ref, { seq: 9, level: 7 });
    const lease = await leaseOf(group);
    expect(await store.repair?.(group, { reset: true })).toMatchObject({ reset: true });
    expect(Object.keys(await leasesOf(group))).toEqual(["group", "head", "levels"]);
    expect(await leaseOf(group)).toBe(lease);
    const [fresh, b] = [`${group}-fresh`, member(store, "b")];
    await b.join();
    await client.delete().key(`dt//groups/${group}/group`);
    expect(await store.repair?.(group)).toMatchObject({ members: 0, reset: true });
    expect(await secondsLeft(await leaseOf(group))).toBeGreaterThan(WEEK_SECONDS);
    expect((await keysOf(fresh)).size).toBe(0);
  });
});

describe("a lease that ends while somebody joins", () => {
  it("before the join is written: the group begins anew, whole, and learns", async () => {
    const store = storeOn(driver);
    const [a, b] = [member(store, "a"), member(store, "b", { learningMs: STALE_MS })];
    await a.join();
    await a.leave();
    const lease = await leaseOf(group);
    driver.next = async (_, send) => {
      await client.leaseClient.leaseRevoke({ ID: lease });
      return send();
    };
    expect(await b.join()).toMatchObject({ learning: true, held: 0, members: 1 });
    expect(await leasesOf(group)).toMatchObject({ group: "0", head: "0" });
    expect(await store.repair?.(group)).toEqual({ found: [], members: 1, reset: false });
  });

  it("after the join is written: nothing of the group disappears", async () => {
    const store = storeOn(driver);
    const [a, b] = [member(store, "a", RESUMES), member(store, "b")];
    await a.join();
    await store.deregister(group, a.ref, { seq: 9, level: 7 });
    const lease = await leaseOf(group);
    driver.next = async (_, send) => {
      const committed = await send();
      await client.leaseClient.leaseRevoke({ ID: lease });
      return committed;
    };
    const { generation } = await b.join();
    expect(await b.beat()).toMatchObject({ status: "agree", generation });
    expect(Object.keys(await leasesOf(group))).toEqual(expect.arrayContaining(["group", "head", "levels"]));
    expect(await store.repair?.(group)).toEqual({ found: [], members: 1, reset: false });
  });

  it("at the same moment, again and again: the group is always whole, and the newcomer is its member", {
    timeout: 120_000,
  }, async () => {
    for (let round = 0; round < 20; round++) {
      const [store, other] = [storeOn(driver), storeOn(driver)];
      const [a, b] = [member(store, `a${round}`, RESUMES), member(other, `b${round}`)];
      await a.join();
      await store.deregister(group, a.ref, { seq: 9, level: 7 });
      const lease = await leaseOf(group);
      const { generation } = await store.inspect(group);
      const ended = () => client.leaseClient.leaseRevoke({ ID: lease });
      driver.next = async (_, send) => {
        const sent = round % 2 === 0 ? [ended(), send()] : [send(), ended()].reverse();
        return (await Promise.all(sent))[1] as Awaited<ReturnType<typeof send>>;
      };
      const view = await b.join();
      // The levels are remembered by a group that went on.
      const isTheSame = Object.keys(await leasesOf(group)).includes("levels");
      if (isTheSame) expect(view.generation).toBeGreaterThan(generation);
      expect(await leasesOf(group)).toMatchObject({ group: "0", head: "0" });
      expect(await b.beat()).toMatchObject({ members: 1, generation: view.generation });
      expect(await other.repair?.(group)).toEqual({ found: [], members: 1, reset: false });
      await b.leave();
    }
  });
});
