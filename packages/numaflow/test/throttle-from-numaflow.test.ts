import { MemoryStore } from "@dt/core";
import { type RedisSentinel, type RedisServer, startRedis, startRedisSentinel, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type NumaflowOptions, type NumaflowThrottle, throttleFromNumaflow } from "../src/index.ts";
import { pipelineOf, withLimit } from "./support/spec.ts";

/** Throttles of specs on real servers. */

/** Opens a throttle for the length of the test. */
async function open(spec: string | object, options?: NumaflowOptions, vertex?: string): Promise<NumaflowThrottle> {
  const opened = await throttleFromNumaflow(spec, vertex, options);
  onTestFinished(() => opened.close());
  return opened;
}

/** A client with which a test looks at a server. */
function look(address: { readonly host: string; readonly port: number }, options: object = {}): Redis {
  const client = new Redis({ host: address.host, port: address.port, ...options });
  onTestFinished(() => client.disconnect());
  return client;
}

const limitOn = (url: string, fields: object = {}): object =>
  withLimit({ max: 10, min: 10, store: { redisStore: { mode: "single", url, ...fields } } }, { namespace: "prod" });

describe("on a single Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ control: true, password: "hunter2" });
  });
  afterAll(() => server?.stop());

  it("processes of one spec share the limit, under the name of the namespace", async () => {
    const members = await Promise.all([open(limitOn(server.url)), open(limitOn(server.url))]);
    for (const { throttle } of members) await throttle.start();
    await until("both know of each other", 20_000, () =>
      members.every(({ throttle }) => throttle.status().members === 2),
    );
    await Promise.all(members.map(({ throttle }) => throttle.acquire(1, { timeout: "20s" })));
    const snapshot = await members[0]?.store.inspect?.("prod/pl-v-pl");
    expect(snapshot).toMatchObject({ memberCount: 2, capacity: 10 });
  });

  it("db is the database, over that of the url", async () => {
    const { throttle } = await open(limitOn(`${server.url}/3`, { db: 5 }));
    await throttle.start();
    const sizes = await Promise.all(
      [3, 5].map(async (db) => (await look(server, { db, password: "hunter2" }).keys("dt*")).length),
    );
    expect(sizes[0]).toBe(0);
    expect(sizes[1]).toBeGreaterThan(0);
  });

  it("close stops the throttle and closes its store", async () => {
    const { throttle, store, close } = await open(limitOn(server.url));
    await throttle.acquire(1, { timeout: "20s" });
    await close();
    expect(await failure(throttle.acquire())).toMatchObject({ code: "DT_STOPPED" });
    expect(await failure(store.inspect?.("prod/pl-v-pl") ?? Promise.resolve())).toMatchObject({
      code: "DT_STORE_CLOSED",
    });
    await close();
  });

  it("await using closes it", async () => {
    let opened: NumaflowThrottle;
    {
      await using limit = await throttleFromNumaflow(limitOn(server.url));
      opened = limit;
      expect(limit.throttle.status().state).not.toBe("stopped");
    }
    expect(opened.throttle.status().state).toBe("stopped");
  });

  it("a restarted replica is the member that it was, where the ramp is to be resumed", async () => {
    const store = { redisStore: { mode: "single", url: server.url } };
    const spec = withLimit({ max: 10, resumedRampUp: true, store });
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("NUMAFLOW_REPLICA", undefined);
    expect(await failure(throttleFromNumaflow(spec))).toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining("give an id that this process keeps over a restart, or set NUMAFLOW_REPLICA"),
    });
    const given = await open(spec, { throttle: { memberId: "mine" } });
    expect(given.throttle.memberId).toBe("mine");
    vi.stubEnv("NUMAFLOW_REPLICA", "3");
    const pod = await open(spec);
    expect(pod.throttle.memberId).toBe("v-3");
  });
});

describe("on a master that Sentinels name", () => {
  const PASSWORDS = { redis: "hunter2", sentinel: "swordfish" };
  let sentinels: RedisSentinel;

  beforeAll(async () => {
    sentinels = await startRedisSentinel({ downAfterMs: 30_000 });
    const users = [
      ...sentinels.servers.map((server) => [server, "alice", PASSWORDS.redis] as const),
      ...sentinels.sentinels.map((server) => [server, "bob", PASSWORDS.sentinel] as const),
    ];
    for (const [{ host, port }, user, password] of users) {
      const client = new Redis({ host, port });
      await client.call("ACL", "SETUSER", user, "on", `>${password}`, "~*", "&*", "+@all");
      client.disconnect();
    }
  });
  afterAll(() => sentinels?.stop());

  const spec = (): object => {
    const endpoints = sentinels.sentinels.map(({ host, port }) => `${host}:${port}`);
    const auth = (name: string) => ({ username: { name, key: "user" }, password: { name, key: "password" } });
    const sentinel = {
      masterName: sentinels.masterName,
      endpoints,
      redisAuth: auth("redis"),
      sentinelAuth: auth("sentinel"),
    };
    return withLimit({ max: 10, min: 10, store: { redisStore: { mode: "sentinel", db: 2, sentinel } } });
  };
  const secrets = ({ name, key }: { name: string; key: string }): string | undefined =>
    Reflect.get(key === "user" ? { redis: "alice", sentinel: "bob" } : PASSWORDS, name);

  it("it is reached with the users and passwords of the secrets", async () => {
    const { throttle } = await open(spec(), { secrets });
    await throttle.acquire(3, { timeout: "30s" });
    const clients = String(await look(await sentinels.master()).call("CLIENT", "LIST"));
    expect(clients).toMatch(/ db=2 .*user=alice/);
  });

  it("and not with a wrong one", async () => {
    const wrong = await open(spec(), {
      secrets: (reference) => (reference.name === "redis" && reference.key === "password" ? "no" : secrets(reference)),
    });
    const error = await failure(wrong.throttle.acquire(1, { timeout: "5s" }));
    expect(error.code).toMatch(/^DT_STORE_/);
    expect(String(error)).not.toContain("hunter2");
    const atSentinel = await open(spec(), {
      secrets: (reference) =>
        reference.name === "sentinel" && reference.key === "password" ? "no" : secrets(reference),
    });
    expect((await failure(atSentinel.throttle.acquire(1, { timeout: "5s" }))).code).toMatch(/^DT_(?:STORE_|TIMEOUT)/);
  });

  it("goes on at the new master after a failover", async () => {
    const { throttle } = await open(spec(), { secrets });
    await throttle.acquire(1, { timeout: "30s" });
    const before = await sentinels.master();
    expect(await sentinels.failover()).not.toBe(before);
    await until("a call goes on", 60_000, () =>
      throttle.acquire(1, { timeout: "5s" }).then(
        () => true,
        () => false,
      ),
    );
  });
});

describe("whose options are checked", () => {
  const spec = pipelineOf({ limits: { rateLimit: { max: 10 } } });

  it("takes further options of the throttle, and none that the spec has", async () => {
    const { throttle } = await open(spec, { throttle: { acquireTimeout: "1s", label: "me" } });
    expect(throttle.memberId).toMatch(/^me/);
    for (const name of ["name", "max", "min", "rate", "rampUp", "mode", "interval", "resumeWithin", "store"])
      expect(await failure(throttleFromNumaflow(spec, "v", { throttle: { [name]: 1 } }))).toMatchObject({
        code: "DT_INVALID_OPTION",
        message: `throttle.${name} is 1; leave it out: the spec has it`,
      });
  });

  it.each<[object, string]>([
    [{ throttle: 7 }, "throttle is 7; give an object"],
    [{ throttle: { max_waiters: 7 } }, "max_waiters: there is no such option; did you mean maxWaiters?"],
    [{ secrets: "env" }, 'secrets is "env"; give a function'],
    [{ count: "tokens" }, 'count is "tokens"; give "reads" or "messages"'],
    [{ namespase: "a" }, "namespase: there is no such option; did you mean namespace?"],
    [{ store: {} }, "store is an object"],
  ])("%j is refused", async (options, reason) => {
    expect(await failure(throttleFromNumaflow(spec, "v", options))).toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining(reason),
    });
  });

  it("leaves a store alone that was given", async () => {
    const store = new MemoryStore();
    const opened = await throttleFromNumaflow(spec, "v", { store });
    await opened.throttle.acquire();
    await opened.close();
    expect(await store.inspect("pl-v-pl")).toMatchObject({ memberCount: 0 });
    await store.close();
  });
});
