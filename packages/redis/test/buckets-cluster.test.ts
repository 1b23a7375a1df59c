import type { BucketAnswer } from "@dt/core";
import { type RedisCluster, startRedisCluster, until } from "@dt-tooling/backends";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RedisStoreOptions } from "../src/index.ts";
import { bucketKey, limitKey } from "../src/keys.ts";
import { one } from "./support/bucket-requests.ts";
import { afterwards, openStore } from "./support/keep.ts";
import { readmeClusterRights, readmeUser } from "./support/readme-user.ts";
import { scriptCalls } from "./support/script-calls.ts";

/** Buckets in a Redis Cluster of three nodes, on real processes. */

let cluster: RedisCluster;

beforeAll(async () => {
  cluster = await startRedisCluster({ config: { "cluster-require-full-coverage": "no" } });
}, 60_000);

afterAll(() => cluster?.stop());

const nodes = () => cluster.nodes.map(({ host, port }) => ({ host, port }));
const onCluster = (): RedisStoreOptions => ({ cluster: { nodes: nodes() } });
const slotOf = (key: string): Promise<number> => cluster.slotOf(bucketKey("dt", { name: "api", key }));
const keys = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);

async function allCalls(): Promise<number> {
  const calls = await Promise.all(cluster.nodes.map((node) => scriptCalls(node)));
  return calls.reduce((sum, more) => sum + more, 0);
}

test("a batch is one command for each hash slot, of which a limit has 32, and every request has its own answer", async () => {
  const store = openStore(onCluster());
  const tenants = keys(200, "tenant");
  const slots = new Set(await Promise.all(tenants.map(slotOf)));
  expect(slots.size).toBeLessThanOrEqual(32);
  const take = () =>
    store.take(tenants.map((key, i) => one(key, { limit: { max: 1, windowMs: 60_000, burst: 1 + i } })));
  await take();
  const before = await allCalls();
  const answers = await take();
  expect((await allCalls()) - before).toBe(slots.size);
  // One unit is out already.
  expect(answers.map((answer) => Math.round((answer as BucketAnswer).remaining))).toEqual(
    tenants.map((_, i) => Math.max(0, i - 1)),
  );
  const owners = new Set(await Promise.all([...slots].map((slot) => cluster.ownerOf(slot))));
  expect(owners.size).toBe(3);
});

test("a limit record is in the slot of its bucket", async () => {
  for (const key of ["k", "{k}", "ü", "}:x"]) {
    const bucket = { name: "a{b}", key };
    const [own, record] = [bucketKey("dt", bucket), limitKey("dt", { kind: "keyed", ...bucket })];
    expect(await cluster.slotOf(record)).toBe(await cluster.slotOf(own));
  }
  const store = openStore(onCluster());
  await store.setLimit(
    { kind: "keyed", name: "api", key: "plan" },
    { by: "ann", values: { max: 1, windowMs: 60_000, burst: 7 } },
  );
  const requests = ["plan", ...keys(20, "code")].map((key) => one(key, { stored: true }));
  expect((await store.take(requests)).map((answer) => (answer as BucketAnswer).limit?.burst)).toEqual([
    7,
    ...keys(20, "").map(() => 10),
  ]);
});

test("a client of unknown kind learns that it is one of a Cluster, and buckets of all nodes are listed", async () => {
  const client = new Redis.Cluster(nodes(), { retryDelayOnFailover: 0 });
  afterwards(() => client.disconnect());
  const unknown = openStore({ client: { call: (...command) => client.call(...(command as [string, ...string[]])) } });
  const tenants = keys(40, "unknown");
  for (const remaining of [9, 8]) {
    const answers = await unknown.take(tenants.map((key) => one(key)));
    expect(answers.map((answer) => Math.round((answer as BucketAnswer).remaining))).toEqual(
      tenants.map(() => remaining),
    );
  }
  const store = openStore(onCluster());
  const listed: string[] = [];
  for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
    const page = await store.listBuckets(next);
    listed.push(...page.buckets.filter(({ key }) => key.startsWith("unknown")).map(({ key }) => key));
    next = page.next;
  }
  expect(listed.sort()).toEqual([...tenants].sort());
});

test("a slot that moves while its buckets are used loses no unit", async () => {
  const [from, to] = cluster.nodes as [RedisCluster["nodes"][0], RedisCluster["nodes"][0], RedisCluster["nodes"][0]];
  const store = openStore({ ...onCluster(), timeout: "20s" });
  const slot = await cluster.slotOf(bucketKey("dt", { name: "moved", key: "0" }));
  const owner = await cluster.ownerOf(slot);
  const limit = { max: 1, windowMs: 1e9, burst: 1e6 };
  const tenants: string[] = [];
  for (let i = 0; tenants.length < 5; i++)
    if ((await cluster.slotOf(bucketKey("dt", { name: "moved", key: `${i}` }))) === slot) tenants.push(`${i}`);
  let rounds = 0;
  let moved = false;
  const spending = (async () => {
    while (!moved || rounds < 60) {
      const answers = await store.take(tenants.map((key) => one(key, { name: "moved", limit })));
      rounds += 1;
      for (const answer of answers) expect(answer).toMatchObject({ granted: 1 });
    }
  })();
  await until("the buckets are used", 10_000, () => rounds > 20);
  await cluster.moveSlot(slot, owner as typeof from, owner === from ? to : from);
  moved = true;
  await spending;
  const [answer] = await store.take([one(tenants[0] as string, { name: "moved", limit })]);
  expect(1e6 - (answer as BucketAnswer).remaining).toBeCloseTo(rounds + 1, 2);
}, 60_000);

test("an ACL user with the rights that the README gives for a Cluster can do everything", async () => {
  const rule = `${readmeUser("dt", "throttle", "secret")} ${readmeClusterRights()}`.split(" ");
  for (const node of cluster.nodes) {
    const admin = new Redis(node.url, { autoResendUnfulfilledCommands: false });
    await admin.call("ACL", "SETUSER", ...rule);
    admin.disconnect();
  }
  const store = openStore({
    cluster: { nodes: nodes(), options: { redisOptions: { username: "throttle", password: "secret" } } },
  });
  const target = { kind: "keyed", name: "api", key: "acl" } as const;
  await store.setLimit(target, { by: "ann", values: { max: 1, windowMs: 60_000, burst: 7 } });
  expect(await store.readLimit(target)).toMatchObject({ revision: 1 });
  expect(await store.take([one("acl", { stored: true })])).toMatchObject([{ limit: { burst: 7 } }]);
  expect(await store.inspectBucket(target)).toMatchObject({ key: "acl" });
  await store.resetBucket(target);
}, 30_000);

test("a node that is away takes its own buckets with it, and no other", async () => {
  const store = openStore(onCluster());
  const tenants = keys(60, "away");
  await store.take(tenants.map((key) => one(key)));
  const owners = await Promise.all(tenants.map(async (key) => cluster.ownerOf(await slotOf(key))));
  const [lost] = cluster.nodes as [RedisCluster["nodes"][0]];
  await lost.kill();
  const answers = await store.take(tenants.map((key) => one(key)));
  for (const [i, answer] of answers.entries())
    if (owners[i] === lost) expect(answer).toMatchObject({ name: "DtError", code: "DT_STORE_UNAVAILABLE" });
    else expect(answer).toMatchObject({ granted: 1 });
}, 30_000);
