import type { Registration } from "@dt/core";
import { type RedisServer, startRedisCluster, startRedisSentinel, until } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { groupKeys } from "../src/keys.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";
import { readmeUser } from "./support/readme-user.ts";

/** When a new group need not learn (R8): only in data that was certainly not lost. On real servers. */

const LEARNING_MS = 400;
/** Shares from before a loss of data have ended after that. */
const STALE_MS = 300;
const HOUR_MS = 3_600_000;

const join = async (store: RedisStore, group: string, overrides: Partial<Registration> = {}) =>
  accepted(await store.register(group, newcomer({ learningMs: LEARNING_MS, staleAfterMs: STALE_MS, ...overrides })));

/** The names of the set that are no groups: what is known of the data as a whole. */
const facts = (admin: Redis): Promise<string[]> => admin.zrangebyscore("dt:data", "-inf", 0);

/** A group of which nothing is known: whether it learns tells what the server makes of its data. */
let groups = 0;
const learns = async (store: RedisStore, learningMs = LEARNING_MS): Promise<boolean> => {
  groups += 1;
  // Learning may last twice the stale age.
  return (await join(store, `new-${groups}`, { learningMs, staleAfterMs: Math.max(STALE_MS, learningMs / 2) }))
    .learning;
};

/** Waits until new groups do not learn. */
const oldData = (store: RedisStore): Promise<unknown> =>
  until("a new group does not learn", 10_000, async () => !(await learns(store)));

async function serverWithOldData(): Promise<{ server: RedisServer; store: RedisStore; admin: Redis }> {
  const server = await ownServer();
  const [store, admin] = [openStore({ url: server.url }), openClient(server.url)];
  await oldData(store);
  return { server, store, admin };
}

const info = async (admin: Redis, name: string): Promise<string> =>
  new RegExp(`^${name}:(.*)\r$`, "m").exec(await admin.info())?.[1] ?? "";

/** Where the marker says since when nothing was lost. */
const markerName = async (admin: Redis): Promise<string> =>
  `server ${await info(admin, "run_id")} ${await info(admin, "master_replid")}`;

describe("a new group", () => {
  test("in old data has its tokens at once, and so has whoever joins", async () => {
    const { store } = await serverWithOldData();
    expect(await join(store, "g")).toMatchObject({ status: "agree", held: 10, learning: false });
    expect(await join(store, "g")).toMatchObject({ learning: false });
  });

  test("uses its tokens in the epoch that runs once all epochs are over that began before the data was old (R20)", async () => {
    const { store } = await serverWithOldData();
    const hourly = await join(store, "hourly", { intervalMs: HOUR_MS });
    expect(hourly).toMatchObject({ held: 10, early: 0, fromEpoch: Math.floor(hourly.storeTimeMs / HOUR_MS) + 1 });
    const overMs = hourly.storeTimeMs + 1_000;
    await until("a short epoch is over", 5_000, async () => (await join(store, "clock")).storeTimeMs > overMs);
    expect(await join(store, "g")).toMatchObject({ held: 10, early: 10, fromEpoch: 1 });
  });

  test("learns in data that is new, and no longer than until it is old", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    expect(await join(store, "first")).toMatchObject({ status: "disagree", held: 0, learning: true });
    expect(await learns(store, HOUR_MS)).toBe(true);
    await oldData(store);
  });

  test.each([
    ["with the README's ACL rule does not learn in old data", readmeUser("dt", "throttle", "secret"), false],
    ["who may not ask for INFO learns", readmeUser("dt", "throttle", "secret").replace(" +info", ""), true],
  ])("of a user %s", async (_, user, learning) => {
    const server = await ownServer({ users: [user] });
    await oldData(openStore({ url: server.url }));
    const options = { enableReadyCheck: false, username: "throttle", password: "secret" };
    expect(await learns(openStore({ url: server.url, options }))).toBe(learning);
  });

  test("of another prefix, and in another database, learns: nothing is known of that data", async () => {
    const { server, store } = await serverWithOldData();
    expect(await learns(openStore({ url: server.url, prefix: "other" }))).toBe(true);
    expect(await learns(openStore({ url: `${server.url}/1` }))).toBe(true);
    expect(await learns(store)).toBe(false);
  });

  test("in a Cluster learns, and leaves no key behind but the group's", async () => {
    await using cluster = await startRedisCluster();
    const store = openStore({ cluster: { nodes: cluster.nodes.map(({ host, port }) => ({ host, port })) } });
    for (let i = 0; i < 12; i++) expect(await learns(store, HOUR_MS)).toBe(true);
    const keys = await Promise.all(cluster.nodes.map(({ url }) => openClient(url).keys("*")));
    expect(keys.flat().filter((key) => !key.includes("{"))).toEqual([]);
  });

  test("beside keys that were there before the marker, and that may not be looked at, learns for a day: a group may live that the marker does not have", async () => {
    const server = await ownServer({ users: [readmeUser("dt", "throttle", "secret").replace(" +scan", "")] });
    const options = { enableReadyCheck: false, username: "throttle", password: "secret" };
    const [store, admin] = [openStore({ url: server.url, options }), openClient(server.url)];
    await admin.set("somebody else's", "1");
    expect(await learns(store)).toBe(true);
    const made = -Number(await admin.zscore("dt:data", "begun"));
    const name = await markerName(admin);
    // As if that had been nearly a day ago, and a bit more than a day; groups have lived since, since the clock alone
    // proves no age.
    const lived = [-86_300_000, "lived", -Date.now(), "looked"];
    await admin.zadd("dt:data", -(made - 86_300_000), name, -(made - 86_300_000), "begun", ...lived);
    expect(await learns(store)).toBe(true);
    await admin.zadd("dt:data", -(made - 86_500_000), name, -(made - 86_500_000), "begun", ...lived);
    expect(await learns(store)).toBe(false);
  });
});

describe("beside keys that were there before the marker", () => {
  /** A server with keys of others, and a group that the marker does not have. */
  async function sharedServer(keys: number): Promise<{ store: RedisStore; admin: Redis }> {
    const server = await ownServer();
    const [store, admin] = [openStore({ url: server.url }), openClient(server.url)];
    await join(store, "before");
    await admin.del("dt:data");
    for (let from = 0; from < keys; from += 10_000) {
      const line = admin.pipeline();
      for (let i = from; i < Math.min(keys, from + 10_000); i++) line.set(`shop:{${i}}:rows`, "1");
      await line.exec();
    }
    return { store, admin };
  }
  const isDone = async (admin: Redis): Promise<boolean> => (await admin.zscore("dt:data", "begun")) === "-1";

  test("does not learn once all of them were looked at, and the data is old from then on", async () => {
    const { store, admin } = await sharedServer(100);
    expect(await learns(store)).toBe(true);
    expect(await isDone(admin)).toBe(true);
    await oldData(store);
    expect(await join(store, "g")).toMatchObject({ status: "agree", held: 10, learning: false });
  });

  test("looks at a part of many of them with each new group, and has every group of before in the end", async () => {
    const { store, admin } = await sharedServer(30_000);
    let made = 0;
    while (!(await isDone(admin))) {
      expect(await learns(store)).toBe(true);
      made += 1;
      expect(await admin.zcount("dt:data", 0, 0)).toBeLessThanOrEqual(1);
    }
    expect(made).toBeGreaterThan(3);
    expect(made).toBeLessThan(60);
    // Known only from the end on, whatever was known at the beginning.
    const since = -Number(await admin.zscore("dt:data", await markerName(admin)));
    expect(Date.now() - since).toBeLessThan(5_000);
    expect(await learns(store, 60_000)).toBe(true);
    await oldData(store);
    expect(await admin.zscore("dt:data", "{before}")).not.toBeNull();
    await admin.del(...groupKeys("dt", "before").keys);
    expect(await join(store, "before")).toMatchObject({ held: 0, learning: true });
    expect((await facts(admin)).sort()).toEqual(["begun", "lived", "looked", await markerName(admin)]);
  });

  test("begins anew in another run of the server: its cursors mean something else", async () => {
    const server = await ownServer();
    const [store, admin] = [openStore({ url: server.url }), openClient(server.url)];
    await admin.mset(...Array.from({ length: 20_000 }, (_, i) => [`shop:${i}`, "1"]).flat());
    expect(await learns(store)).toBe(true);
    const [step] = await admin.zrangebyscore("dt:data", 0, 0);
    expect(step).toMatch(/^scan [1-9]\d*$/);
    await server.restart({ keepData: true });
    await until("the server answers", 10_000, () => learns(store, HOUR_MS));
    expect(await admin.zscore("dt:data", step as string)).toBeNull();
    expect(await isDone(admin)).toBe(false);
  });

  test("takes a prefix with the letters of a pattern for what it is", async () => {
    const server = await ownServer();
    const [store, admin] = [openStore({ url: server.url, prefix: "a*[b]?\\c^" }), openClient(server.url)];
    await join(store, "before");
    await admin.del("a*[b]?\\c^:data");
    await admin.set("axb:{other}:rows", "1");
    expect(await learns(store)).toBe(true);
    expect(await admin.zscore("a*[b]?\\c^:data", "{before}")).not.toBeNull();
    expect(await admin.zscore("a*[b]?\\c^:data", "{other}")).toBeNull();
  });
});

test("a new group learns for its whole time while shares of a stale age ago may be valid, of which nothing is on record", async () => {
  const server = await ownServer();
  const store = openStore({ url: server.url });
  // By its clock alone, while no group is made and none lives, a server proves no age: so groups are made.
  await oldData(store);
  const view = await join(store, "g", { staleAfterMs: 60_000 });
  expect(view.learning).toBe(true);
  expect(await join(store, "other", { staleAfterMs: LEARNING_MS / 2 })).toMatchObject({ learning: false, held: 10 });
});

describe("a new group learns, though the data was old,", () => {
  test.each(["FLUSHALL", "FLUSHDB"])("after %s", async (command) => {
    const { store, admin } = await serverWithOldData();
    await admin.call(command);
    expect(await learns(store)).toBe(true);
    await oldData(store);
  });

  test.each([
    ["without its data", false],
    ["with its data", true],
  ])("after the server restarted %s: the newest writes may be missing", async (_, keepData) => {
    const { server, store } = await serverWithOldData();
    await server.restart({ keepData });
    expect(await until("the server answers", 10_000, () => learns(store, HOUR_MS))).toBe(true);
    await oldData(store);
  });

  test("after a failover, for a minute at least: the primary before may go on taking writes", async () => {
    const redis = await startRedisSentinel();
    afterwards(() => redis.stop());
    const sentinels = redis.sentinels.map(({ host, port }) => ({ host, port }));
    const store = openStore({ options: { sentinels, name: redis.masterName }, timeout: "4s" });
    await oldData(store);
    const promoted = openStore({ url: (await redis.failover()).url });
    expect(await learns(promoted)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 2 * LEARNING_MS));
    expect(await learns(promoted)).toBe(true);
  });

  test("on a primary that was a replica meanwhile and came back with its own marker", async () => {
    const { server, store, admin } = await serverWithOldData();
    const before = await facts(admin);
    const other = await ownServer({ replicaOf: server });
    const linked = () => info(admin, "master_link_status");
    await openClient(other.url).replicaof("NO", "ONE");
    await admin.replicaof(other.host, other.port);
    await until("it has the other's data", 20_000, async () => (await linked()) === "up");
    await admin.replicaof("NO", "ONE");
    expect(await facts(admin)).toEqual(before);
    expect(await learns(store)).toBe(true);
  });

  test("when it is one of which the keys were deleted by hand", async () => {
    const { store, admin } = await serverWithOldData();
    await join(store, "g");
    await admin.del(...groupKeys("dt", "g").keys);
    expect(await join(store, "g")).toMatchObject({ status: "disagree", held: 0, learning: true });
    expect(await learns(store)).toBe(false);
  });

  test("when it is one that lived on over a restart, and of which the keys were deleted by hand then", async () => {
    const { server, store, admin } = await serverWithOldData();
    await join(store, "g");
    await server.restart({ keepData: true });
    await until("the server answers", 10_000, () => learns(store, HOUR_MS));
    await oldData(store);
    await admin.del(...groupKeys("dt", "g").keys);
    expect(await join(store, "g")).toMatchObject({ held: 0, learning: true });
  });

  test("when the marker was deleted alone, and the keys of a group that lives later", async () => {
    const { store, admin } = await serverWithOldData();
    await join(store, "g");
    await admin.del("dt:data");
    expect(await learns(store)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 2 * LEARNING_MS));
    await admin.del(...groupKeys("dt", "g").keys);
    expect(await join(store, "g")).toMatchObject({ held: 0, learning: true });
  });

  test("under a policy that may evict its keys", async () => {
    const { store, admin } = await serverWithOldData();
    await admin.config("SET", "maxmemory", "1gb", "maxmemory-policy", "volatile-lru");
    expect(await learns(store)).toBe(true);
    await admin.config("SET", "maxmemory-policy", "noeviction");
    expect(await learns(store)).toBe(false);
  });

  test("when keys were evicted, also when the policy and the counter were set back", async () => {
    const { store, admin } = await serverWithOldData();
    await admin.config("SET", "maxmemory-policy", "allkeys-random", "maxmemory", "1");
    await admin.set("room", "for this").catch(() => {});
    await until("keys are evicted", 5_000, async () => (await info(admin, "evicted_keys")) !== "0");
    await admin.config("SET", "maxmemory", "0", "maxmemory-policy", "noeviction");
    // As if the marker were an old one that was not evicted.
    const name = await markerName(admin);
    await admin.zadd("dt:data", -1, name, -1, "begun");
    expect(await learns(store)).toBe(true);
    await admin.config("RESETSTAT");
    expect(await info(admin, "evicted_keys")).toBe("0");
    expect(await learns(store)).toBe(true);
  });

  test("when the data was exchanged for that of another database with an old marker", async () => {
    const { server, store, admin } = await serverWithOldData();
    const name = await markerName(admin);
    const other = openClient(`${server.url}/1`);
    await other.zadd("dt:data", -1, name, -1, "begun");
    await join(store, "g");
    await admin.call("SWAPDB", "0", "1");
    expect(await join(store, "g")).toMatchObject({ held: 0, learning: true });
  });

  test("when another application has the marker's key", async () => {
    const { store, admin } = await serverWithOldData();
    await admin.set("dt:data", "mine");
    expect(await learns(store)).toBe(true);
    expect(await admin.get("dt:data")).toBe("mine");
  });
});

test("a member of a living group keeps it in the marker: registrations and syncs of half a day later move it on", async () => {
  const { store, admin } = await serverWithOldData();
  const registration = newcomer({ staleAfterMs: STALE_MS });
  const view = await store.register("g", registration);
  await admin.zrem("dt:data", "{g}");
  await store.sync("g", registration, adopting(view, 2));
  expect(await admin.zscore("dt:data", "{g}")).toBeNull();
  await join(store, "g");
  const noted = Number(await admin.zscore("dt:data", "{g}"));
  expect(noted).toBeCloseTo(Date.now() + 86_400_000 + 2 * STALE_MS, -4);
  expect(await admin.pexpiretime("dt:data")).toBeGreaterThanOrEqual(Math.floor(noted));
});
