import { type BucketRequest, createThrottle } from "@dt/core";
import { type RedisServer, startRedisCluster, timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { adopting, newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import type { RedisStore, RedisStoreOptions } from "../src/index.ts";
import { budgetKeys, groupKeys, permitKeys } from "../src/keys.ts";
import { openClient, openStore, ownServer } from "./support/keep.ts";
import { readmeUser } from "./support/readme-user.ts";
import { SlotMember } from "./support/slot-member.ts";

/** Servers that cannot or will not serve: each refusal is an error by name, with the effect and the remedy. */

/** Everything that makes the scripts of permits use every command. */
async function permits(store: RedisStore): Promise<void> {
  const ahead = { everyMs: 60_000, maxReserved: 5, keepMs: 0 };
  const requests = [1, 2, 3].map(() => permitRequest(ahead));
  for (const request of requests) await store.reserve("k", request);
  await store.release("k", { id: requests[1]?.id as string, keep: 0 });
  await store.reserve("k", permitRequest(ahead));
  const [first, second] = [permitRequest({ ...ahead, queueMs: 1_000, maxReserved: 0 }), permitRequest({ queueMs: 1 })];
  for (const request of [first, second, first]) await store.reserve("k", request);
  await store.release("k", { id: first.id, keep: 0 });
}

/** Takes of one bucket and of two, and sets the limit of one. */
async function buckets(store: RedisStore): Promise<void> {
  const limit = { max: 5, windowMs: 1_000, burst: 5 };
  const take = { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
  const request = (key: string, stored: boolean): BucketRequest => ({ name: "api", key, limit, take, stored });
  await store.take([request("a", false)]);
  await store.setLimit({ kind: "keyed", name: "api", key: "a" }, { values: limit, by: "a test" });
  const answers = await store.take([request("a", true), request("b", true), request("c", false)]);
  for (const answer of answers) if (answer instanceof Error) throw answer;
  await store.inspectBucket({ name: "api", key: "a" });
}

/** Everything that makes the scripts of budgets use every command. */
async function budgets(store: RedisStore, admin: Redis): Promise<void> {
  const [first, second] = [spendRequest({ keepMs: 0 }), spendRequest()];
  await store.spend("b", first);
  await store.spend("b", second);
  await admin.del(budgetKeys("dt", "b").keys[1] as string);
  const settle = [{ id: second.reserve.id, costs: [1, 0], measured: true }];
  await store.spend("b", spendRequest({}, { settle }));
  await store.inspectBudget("b");
  await store.listBudgets();
  await store.resetBudget("b");
}

/** Everything that makes the scripts of a semaphore use every command. */
async function handOver(store: RedisStore, onHint: () => void): Promise<void> {
  const [a, b] = [0, 1].map(() => new SlotMember(store, { max: 1 }, "semaphore")) as [SlotMember, SlotMember];
  for (const { registration } of [a, b]) await store.register("semaphore", registration);
  await store.onSlotHint?.("semaphore", b.registration, onHint);
  await a.report(1, 0);
  await b.report(0, 1);
  await a.leave();
}

const registering = (options: RedisStoreOptions) => failure(openStore(options).register("g", newcomer()));

describe("a server that cannot serve as a store", () => {
  test("because it is a read-only replica", async () => {
    const master = await ownServer();
    const replica = await ownServer({ replicaOf: master });
    const error = await registering({ url: replica.url });
    expect(error).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(error.message).toContain("read-only replica; connect to the primary, or through Sentinel");
  });

  test.each(["EVALSHA", "EVAL"])("because %s is disabled", async (command) => {
    const server = await ownServer({ disabledCommands: [command] });
    const error = await registering({ url: server.url });
    expect(error).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(error.message).toContain("scripting is disabled on this server; enable EVAL and EVALSHA");
  });

  test("because it is a node of a Cluster, reached by a client that is none", async () => {
    await using cluster = await startRedisCluster();
    const errors = await Promise.all(
      cluster.nodes.map(({ url }) =>
        openStore({ url })
          .inspect("g")
          .then(
            () => undefined,
            (e) => e,
          ),
      ),
    );
    const refused = errors.filter((error) => error !== undefined);
    expect(refused.length).toBe(2); // One of the three owns the slot.
    for (const error of refused) {
      expect(error).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
      expect(error.message).toContain("node of a Redis Cluster; give `cluster: { nodes }`");
    }
  });
});

describe("a Cluster of which no node serves tells why", () => {
  test.each([
    ["it is a single server", {}, undefined, "cluster support disabled; this server is not part of a Redis Cluster"],
    [
      "the password is wrong",
      { users: ["default on >right ~* &* +@all"] },
      "wrong",
      "check the user name and the password",
    ],
    ["it has no password", { users: ["default on >right ~* &* +@all"] }, undefined, "NOAUTH Authentication required"],
  ])("%s", async (_, config, password, reason) => {
    const { host, port } = await ownServer(config);
    const options = password === undefined ? {} : { redisOptions: { password } };
    const error = await registering({ cluster: { nodes: [{ host, port }], options } });
    expect(error).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(error.message).toContain(reason);
  });
});

describe("an ACL user", () => {
  const rule = readmeUser("dt", "throttle", "secret");
  const as = (server: RedisServer): string => `redis://throttle:secret@${server.host}:${server.port}`;

  test("with the rights in the README can do everything, hints included", async () => {
    const server = await ownServer({ users: [rule] });
    const store = openStore({ url: as(server) });
    let hinted = false;
    await store.onHint?.("g", () => {
      hinted = true;
    });
    const registration = newcomer({ level: 1, resumeWithinMs: 1_000 });
    await store.sync("g", registration, adopting(await store.register("g", registration), 2));
    await store.inspect("g");
    await store.deregister("g", registration, { seq: 3, level: 2 });
    await until("a hint came", 5_000, () => hinted);
    hinted = false;
    await handOver(store, () => {
      hinted = true;
    });
    await until("a hint of a slot came", 5_000, () => hinted);
    hinted = false;
    await store.onPermitHint?.("k", () => {
      hinted = true;
    });
    await permits(store);
    await until("a hint came", 5_000, () => hinted);
    expect(await store.inspectPermits("k")).toMatchObject({ key: "k" });
    expect([...(await store.list()).groups].sort()).toEqual(["g", "semaphore"]);
    expect(await store.listPermits()).toEqual({ keys: ["k"] });
    await budgets(store, openClient(server.url));
    await buckets(store);
  });

  const words = rule
    .split(" ")
    .filter((word) => /^\+/.test(word))
    .map((word) => word.slice(1));
  const scripted = words.filter(
    (word) =>
      !["subscribe", "unsubscribe", "ping", "hello", "auth", "info", "publish", "evalsha", "eval"].includes(word),
  );

  test.each(scripted)("without %s is refused, told that the scripts need more rights", async (command) => {
    const server = await ownServer({ users: [rule.replace(`+${command} `, "")] });
    const store = openStore({ url: as(server) });
    const admin = openClient(server.url);
    // All of the scripts, with everything that makes them use every command.
    const everything = async (): Promise<void> => {
      const [a, b] = [newcomer({ level: 1, resumeWithinMs: 1 }), newcomer({ level: 1, resumeWithinMs: 1 })];
      await admin.set(groupKeys("dt", "g").keys[3] as string, "left over");
      await admin.set(permitKeys("dt", "k").keys[1] as string, "left over");
      await permits(store);
      await handOver(store, () => {});
      await store.inspectPermits("k");
      await budgets(store, admin);
      await buckets(store);
      await store.list();
      for (const member of [a, b]) await store.register("g", member);
      await store.inspect("g");
      await store.deregister("g", a, { seq: 2, level: 2 });
      await store.deregister("g", b, { seq: 2, level: 2 });
    };
    const error = await failure(everything());
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toContain("the README of @dt/redis has the rule");
  });

  test.each(["evalsha", "eval"])("without %s is refused by name", async (command) => {
    const server = await ownServer({ users: [rule.replace(`+${command} `, "")] });
    const error = await registering({ url: as(server) });
    expect(error).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(error.message).toContain(`'${command}'`);
  });

  test("without publish keeps the ledger, and only the hints are lost", async () => {
    const server = await ownServer({ users: [rule.replace("+publish ", "")] });
    const store = openStore({ url: as(server) });
    expect(await store.register("g", newcomer())).toMatchObject({ status: "agree" });
  });

  test.each([
    ["subscribe", rule.replace("+subscribe ", "")],
    ["its channels", rule.replace("&dt:* ", "")],
  ])("without %s cannot listen, and is told so", async (_, user) => {
    const server = await ownServer({ users: [user] });
    const store = openStore({ url: as(server) });
    const error = await failure(store.onHint?.("g", () => {}) as Promise<unknown>);
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
  });

  test("for another prefix is told which keys it needs", async () => {
    const server = await ownServer({ users: [readmeUser("other", "throttle", "secret")] });
    const error = await registering({ url: as(server) });
    expect(error).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(error.message).toContain("grant ~<prefix>:*");
  });

  test.each([
    ["the wrong password", "throttle:wrong@", /WRONGPASS/],
    ["no password", "", /NOAUTH/],
  ])("with %s is refused at the deadline, and the reason is said and heard", async (_, credentials, reason) => {
    const server = await ownServer({ users: ["default off", rule] });
    const heard: unknown[] = [];
    const store = openStore({
      url: `redis://${credentials}${server.host}:${server.port}`,
      onError: (error) => heard.push(error),
    });
    const { value, ms } = await timed(failure(store.inspect("g")));
    expect(value).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect((value as Error).message).toMatch(reason);
    expect((value as Error).message).toContain("check the user name and the password");
    expect(ms).toBeLessThan(1_600);
    expect(String(heard[0])).toMatch(reason);
    // No waiting mends it: a start does not try again for 20 s.
    const throttle = createThrottle({ name: "g", max: 10, store });
    const start = await failure(throttle.start());
    expect(start.code).toBe("DT_STORE_UNSUITABLE");
    expect(start.message).not.toContain("tries");
  });
});

describe("a server that will not serve for a while", () => {
  test("because it is out of memory", async () => {
    const server = await ownServer({ config: { maxmemory: "1", "maxmemory-policy": "noeviction" } });
    const error = await registering({ url: server.url });
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(error.message).toContain("maxmemory");
  });

  test("because it has too few replicas", async () => {
    const server = await ownServer({ config: { "min-replicas-to-write": "1" } });
    const error = await registering({ url: server.url });
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(error.message).toContain("min-replicas-to-write");
  });

  test("because another script keeps it busy; afterwards it serves", async () => {
    const server = await ownServer({ config: { "lua-time-limit": "50" } });
    const store = openStore({ url: server.url });
    await store.inspect("g");
    const [hog, admin] = [openClient(server.url), openClient(server.url)];
    await Promise.all([hog.ping(), admin.ping()]);
    const busy = hog.eval("while true do end", 0).catch((error: Error) => error.message);
    await until("the server says that it is busy", 5_000, async () => {
      const answer = await admin.ping().catch((error: Error) => error.message);
      return answer.startsWith("BUSY");
    });
    const error = await failure(store.register("g", newcomer()));
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(error.message).toMatch(/BUSY .*this passes by itself/);
    await admin.script("KILL");
    expect(await busy).toMatch(/killed/i);
    expect(await store.register("g", newcomer())).toMatchObject({ status: "agree" });
  });

  test("because nothing listens there", async () => {
    const error = await registering({ url: "redis://127.0.0.1:1" });
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(error.message).toContain("ECONNREFUSED");
    expect((error.cause as Error).message).toContain("ECONNREFUSED");
  });

  test("because its name is not known", async () => {
    const error = await registering({ url: "redis://no-such-host.invalid" });
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
  });

  test("because its certificate is not trusted", async () => {
    const server = await ownServer({ tls: true });
    const error = await registering({ url: server.url });
    expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    expect(error.message).toMatch(/self-signed/);
  });
});
