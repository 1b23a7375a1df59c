import type { DtError } from "@dt/core";
import { instantOf, writeCursor } from "@dt/core/ledger";
import { type RedisCluster, type RedisServer, startRedisCluster, timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer, permitRequest } from "@dt-tooling/simulator/requests";
import { Cluster, Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type RedisStore, type RedisStoreOptions, redisStore } from "../src/index.ts";
import { groupKeys, permitKeys } from "../src/keys.ts";
import { readmeClusterRights, readmeUser } from "./support/readme-user.ts";
import { SlotMember } from "./support/slot-member.ts";
import { traffic } from "./support/traffic.ts";

/** A Redis Cluster of three nodes, on real processes. */

let cluster: RedisCluster;
let admins: ReadonlyMap<RedisServer, Redis>;
const stores: RedisStore[] = [];

beforeAll(async () => {
  cluster = await startRedisCluster({ config: { "cluster-require-full-coverage": "no" } });
  admins = new Map(
    cluster.nodes.map((node) => {
      const admin = new Redis(node.url, { autoResendUnfulfilledCommands: false });
      admin.on("error", () => {});
      return [node, admin];
    }),
  );
});

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

afterAll(async () => {
  for (const admin of admins?.values() ?? []) admin.disconnect();
  await cluster?.stop();
});

const nodes = () => cluster.nodes.map(({ host, port }) => ({ host, port }));
const open = (options: RedisStoreOptions = { cluster: { nodes: nodes() } }): RedisStore => {
  const store = redisStore(options);
  stores.push(store);
  return store;
};
const slotOf = (group: string): Promise<number> => cluster.slotOf(groupKeys("dt", group).keys[0] as string);
const ask = (node: RedisServer, ...command: [string, ...(string | number)[]]): Promise<unknown> =>
  (admins.get(node) as Redis).call(...command);

/** A group whose slot a node owns. */
async function groupOn(node: RedisServer, name: string): Promise<string> {
  for (let i = 0; ; i++) {
    const group = `${name}-${i}`;
    if ((await cluster.ownerOf(await slotOf(group))) === node) return group;
  }
}

describe("the keys and the channels of a group and of a key's permits", () => {
  const names = [
    ["{", "{"],
    ["}", "}"],
    ["{}", "{}"],
    ["braces the wrong way round", "a}b{c"],
    ["nested braces", "{{a}}"],
    ["a percent sign", "100%7B"],
    ["something like a key", "dt:{g}:rows"],
    ["unicode", "ünï code 🚦"],
    ["separators", " \r\n\t*?[x]\\:"],
    ["1,024 bytes", "x".repeat(1_024)],
  ] as const;

  test.each(names)("are in one slot, says the server: %s", async (_, group) => {
    const [ofGroup, ofPermits] = [groupKeys("dt", group), permitKeys("dt", group)];
    const names = [ofGroup, ofPermits].flatMap(({ keys, hints, channel }) => [...keys, hints, channel]);
    names.push(...ofGroup.slotKeys);
    const slots = await Promise.all(names.map((key) => cluster.slotOf(key)));
    expect(new Set(slots).size).toBe(1);
  });

  test("are in other slots for other groups", async () => {
    const slots = await Promise.all(Array.from({ length: 50 }, (__, i) => slotOf(`g${i}`)));
    expect(new Set(slots).size).toBeGreaterThan(40);
  });
});

describe.each([
  ["a client of its own", "own", () => open()],
  [
    "a Cluster handed in",
    "given",
    () => {
      const client = new Cluster(nodes(), { retryDelayOnFailover: 0 });
      const store = open({ client });
      const close = store.close.bind(store);
      store.close = () => close().then(() => client.disconnect());
      return store;
    },
  ],
])("with %s", (_, kind, openStore) => {
  test("groups live on every node", async () => {
    const store = openStore();
    for (const node of cluster.nodes) {
      const group = await groupOn(node, `live-${kind}`);
      const registration = newcomer();
      const view = await store.register(group, registration);
      expect(await store.sync(group, registration, adopting(view, 2))).toMatchObject({ status: "agree", held: 10 });
      expect(await ask(node, "EXISTS", groupKeys("dt", group).keys[0] as string)).toBe(1);
    }
  });

  test("a slot that moves while members sync costs no call and no member", async () => {
    const [from, to] = cluster.nodes as [RedisServer, RedisServer, RedisServer];
    const group = await groupOn(from, `moving-${kind}`);
    const slot = await slotOf(group);
    const store = openStore();
    let answered = 0;
    const more = async (): Promise<void> => {
      const before = answered;
      await until("members sync", 10_000, () => answered > before + 40);
    };
    const moved = (async () => {
      await more();
      await cluster.moveSlot(slot, from, to);
      await more();
    })();
    const members = Array.from({ length: 4 }, () => newcomer({ max: 40 }));
    const seen = await Promise.all(members.map((member) => traffic(store, group, member, moved, () => answered++)));
    for (const { errors, views, slowestMs } of seen) {
      expect(errors.map(({ message }) => message)).toEqual([]);
      expect(views.length).toBeGreaterThan(10);
      expect(slowestMs).toBeLessThan(1_600);
    }
    expect(await store.inspect(group)).toMatchObject({ memberCount: 4, held: 40 });
  });

  test("hints go on when the slot of their group was moved", async () => {
    const [from, to] = cluster.nodes as [RedisServer, RedisServer, RedisServer];
    const group = await groupOn(from, `hinted-${kind}`);
    const store = openStore();
    let hints = 0;
    await store.onHint?.(group, () => {
      hints += 1;
    });
    await store.register(group, newcomer());
    await until("a hint came", 10_000, () => hints > 0);
    await cluster.moveSlot(await slotOf(group), from, to);
    const before = hints;
    await open().register(group, newcomer());
    await until("a hint came", 10_000, () => hints > before);
    expect(await ask(to, "EXISTS", groupKeys("dt", group).hints)).toBe(1);
  });

  test("a semaphore hands slots over, with hints, while the hash slot of its group moves", async () => {
    const [from, to] = cluster.nodes as [RedisServer, RedisServer, RedisServer];
    const group = await groupOn(from, `semaphore-${kind}`);
    const [one, other] = [openStore(), open()];
    const max = { max: 1 };
    const [a, b] = [await SlotMember.join(one, max, group), await SlotMember.join(other, max, group)];
    let offers = 0;
    let moved = false;
    const working = (async () => {
      let [giver, taker] = [a, b];
      while (!moved || offers < 100) {
        await giver.report(0, 1);
        await taker.report(0, 1);
        taker.hints.length = 0;
        await giver.report(0, 0);
        const hint = await taker.hinted();
        if (hint?.kind === "offer") offers += 1;
        [giver, taker] = [taker, giver];
      }
    })();
    await until("slots are handed over", 10_000, () => offers > 40);
    await cluster.moveSlot(await slotOf(group), from, to);
    moved = true;
    await working;
    expect(await ask(to, "EXISTS", ...(groupKeys("dt", group).slotKeys as [string, string]))).toBe(2);
    expect(await one.inspect(group)).toMatchObject({ memberCount: 2, capacity: 1 });
  });

  test("a slot that moves while permits are reserved costs no call and no distance", async () => {
    const [from, to] = cluster.nodes as [RedisServer, RedisServer, RedisServer];
    const key = await groupOn(from, `paced-${kind}`);
    const slot = await slotOf(key);
    const store = openStore();
    const instants: number[] = [];
    let moved = false;
    const reserving = (async () => {
      while (!moved || instants.length < 100) {
        const request = permitRequest({ everyMs: 5, maxReserved: 1_000_000, keepMs: 60_000 });
        instants.push(instantOf(await store.reserve(key, request), 0));
      }
    })();
    await until("permits are reserved", 10_000, () => instants.length > 40);
    await cluster.moveSlot(slot, from, to);
    moved = true;
    await reserving;
    for (const [i, instant] of instants.slice(1).entries())
      expect(instant - (instants[i] as number)).toBeGreaterThan(4.999);
  });
});

describe("an ACL user", () => {
  test("with the rights that the README gives for a Cluster can do everything, hints included", async () => {
    const rule = `${readmeUser("dt", "throttle", "secret")} ${readmeClusterRights()}`.split(" ");
    for (const node of cluster.nodes) await ask(node, "ACL", "SETUSER", ...(rule as [string, ...string[]]));
    const redisOptions = { username: "throttle", password: "secret" };
    const store = open({ cluster: { nodes: nodes(), options: { redisOptions } } });
    let hints = 0;
    await store.onHint?.("acl", () => {
      hints += 1;
    });
    const registration = newcomer();
    const view = await store.register("acl", registration);
    expect(await store.sync("acl", registration, adopting(view, 2))).toMatchObject({ status: "agree" });
    await until("a hint came", 5_000, () => hints > 0);
    await store.onPermitHint?.("acl", () => {});
    const request = permitRequest({ maxReserved: 3 });
    expect(await store.reserve("acl", request)).toMatchObject({ granted: 1 });
    await store.release("acl", { id: request.id, keep: 0 });
  });
});

/** Redirected until ioredis gave up, or, on a machine that is too busy for that, until the deadline. */
function isRefusedForNow(error: DtError): boolean {
  if (error.code === "DT_STORE_TIMEOUT") return true;
  return (
    error.code === "DT_STORE_UNAVAILABLE" && error.effect === "definite" && /TRYAGAIN|MOVED|ASK/.test(error.message)
  );
}

describe("a slot in the middle of its move", () => {
  test("is served where the keys are; a new group has to wait for the end of the move, and is told so", async () => {
    const [from, to] = cluster.nodes as [RedisServer, RedisServer, RedisServer];
    const group = await groupOn(from, "halfway");
    const slot = await slotOf(group);
    const { keys } = groupKeys("dt", group);
    const store = open();
    const registration = newcomer({ staleAfterMs: 60_000 });
    let seq = 1;
    const view = accepted(await store.register(group, registration));
    const sync = () => store.sync(group, registration, adopting(view, ++seq));
    await sync();

    await ask(to, "CLUSTER", "SETSLOT", slot, "IMPORTING", (await ask(from, "CLUSTER", "MYID")) as string);
    await ask(from, "CLUSTER", "SETSLOT", slot, "MIGRATING", (await ask(to, "CLUSTER", "MYID")) as string);
    expect(await sync()).toMatchObject({ status: "agree" });

    const unborn = open({ cluster: { nodes: nodes() }, prefix: "unborn" });
    expect(await failure(unborn.register(group, newcomer()))).toSatisfy(isRefusedForNow);

    await ask(from, "MIGRATE", to.host, to.port, "", 0, 5_000, "KEYS", ...keys.slice(0, 2));
    const halved = await timed(failure(sync()));
    expect(halved.value).toSatisfy(isRefusedForNow);
    expect(halved.ms).toBeLessThan(1_600);

    await ask(from, "MIGRATE", to.host, to.port, "", 0, 5_000, "KEYS", ...keys.slice(2));
    expect(await sync()).toMatchObject({ status: "agree" });

    for (const node of cluster.nodes)
      await ask(node, "CLUSTER", "SETSLOT", slot, "NODE", (await ask(to, "CLUSTER", "MYID")) as string);
    expect(await sync()).toMatchObject({ status: "agree", members: 1 });
    expect(await unborn.register(group, newcomer())).toMatchObject({ status: "agree", members: 1 });
  });
});

describe("a list", () => {
  test("has the groups and keys of all nodes, one node after the other", async () => {
    const store = open({ cluster: { nodes: nodes() }, prefix: "listed" });
    const names: string[] = [];
    for (const node of cluster.nodes) names.push(await groupOn(node, "listed"));
    for (const name of names) {
      await store.register(name, newcomer());
      await store.reserve(name, permitRequest());
    }
    const groups: string[] = [];
    const keys: string[] = [];
    for (let page = await store.list(); ; page = await store.list(page.next)) {
      groups.push(...page.groups);
      if (page.next === undefined) break;
    }
    for (let page = await store.listPermits(); ; page = await store.listPermits(page.next)) {
      keys.push(...page.keys);
      if (page.next === undefined) break;
    }
    expect(groups.sort()).toEqual([...names].sort());
    expect(keys.sort()).toEqual([...names].sort());
  });

  test("is not gone on with on a node that has left", async () => {
    const cursor = writeCursor("redis groups", "127.0.0.1:1 run 17");
    const error = await failure(open().list(cursor));
    expect(error).toMatchObject({ code: "DT_INVALID_OPTION" });
    expect((error as Error).message).toContain("is no master of the cluster any more");
  });
});

describe("a node that is killed", () => {
  test("fails the groups on it by their deadline and no others; with its data it serves them again, and hints go on", async () => {
    const [dead, alive] = [cluster.nodes[2] as RedisServer, cluster.nodes[0] as RedisServer];
    const groups = { dead: await groupOn(dead, "dead"), alive: await groupOn(alive, "alive") };
    const store = open();
    const [a, b] = [newcomer({ staleAfterMs: 60_000 }), newcomer({ staleAfterMs: 60_000 })];
    const views = { dead: await store.register(groups.dead, a), alive: await store.register(groups.alive, b) };
    let hints = 0;
    await store.onHint?.(groups.alive, () => {
      hints += 1;
    });
    await dead.kill();
    for (let seq = 2; seq < 5; seq++) {
      const failed = await timed(failure(store.sync(groups.dead, a, adopting(views.dead, seq))));
      expect((failed.value as { code: string }).code).toMatch(/^DT_STORE_(UNAVAILABLE|TIMEOUT)$/);
      expect(failed.ms).toBeLessThan(1_600);
      expect(await store.sync(groups.alive, b, adopting(views.alive, seq))).toMatchObject({ status: "agree" });
    }
    await until("hints come, whichever node they were heard through", 10_000, async () => {
      await store.register(groups.alive, newcomer());
      return hints > 0;
    });
    await dead.restart({ keepData: true });
    let seq = 10;
    const back = await until("the node serves its groups again", 20_000, () =>
      store.sync(groups.dead, a, adopting(views.dead, seq++)),
    );
    expect(back).toMatchObject({ members: 1, status: "agree" });
  });
});
