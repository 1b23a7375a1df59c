import { createPacer, type PermitRequest, type Reservation } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { FaultProxy, timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { permitRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { permitKeys } from "../src/keys.ts";
import { listenersOf } from "./support/channel.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";

const everySecond = { maxReserved: 10, keepMs: 5_000 };

async function listened(store: RedisStore, key: string): Promise<{ count: number; stop: () => void }> {
  const hints = { count: 0, stop: (): void => {} };
  hints.stop = await (store.onPermitHint as NonNullable<RedisStore["onPermitHint"]>)(key, () => {
    hints.count += 1;
  });
  return hints;
}

describe.each([2, 3] as const)("over RESP%i", (protocol) => {
  test("permits of two stores keep the distance, also with fractions, and a release makes room", async () => {
    const server = await ownServer();
    const options = { url: server.url, options: { protocol } };
    const [one, other] = [openStore(options), openStore(options)];
    const request = { ...everySecond, everyMs: 3_333.3, keepMs: 10_000 };
    const given: Reservation[] = [];
    const requests: PermitRequest[] = [];
    for (let i = 0; i < 8; i++) {
      const next = permitRequest(request);
      requests.push(next);
      given.push(await (i % 2 === 0 ? one : other).reserve("k", next));
    }
    const instants = given.map((reservation) => instantOf(reservation, 0));
    for (const [i, instant] of instants.slice(1).entries())
      expect(instant - (instants[i] as number)).toBeGreaterThanOrEqual(3_333.299);
    const freed = await listened(one, "k");
    await other.release("k", { id: requests[6]?.id as string, keep: 0 });
    await until("the listener is told", 10_000, () => freed.count === 1);
    expect(instantOf(await one.reserve("k", permitRequest(request)), 0)).toBe(instants[6]);
    expect(await one.reserve("k", requests[3] as PermitRequest)).toMatchObject({ firstMs: given[3]?.firstMs });
  });
});

describe("listeners of a key", () => {
  test("hear of what is given back on it, not of other keys, groups or releases that free nothing", async () => {
    const server = await ownServer();
    const [store, other] = [openStore({ url: server.url }), openStore({ url: server.url })];
    const hints = await listened(store, "k");
    const request = permitRequest(everySecond);
    await other.reserve("k", request);
    await other.reserve("other", request);
    await other.release("other", { id: request.id, keep: 0 });
    await other.release("k", { id: "nobody's", keep: 0 });
    await other.release("k", { id: request.id, keep: 1 });
    await other.release("k", { id: request.id, keep: 0 });
    await other.release("k", { id: request.id, keep: 0 });
    const admin = openClient(server.url);
    await until("a hint came", 10_000, () => hints.count > 0);
    expect(hints.count).toBe(1);
    // Nobody listens to the other key.
    expect(await admin.info("commandstats")).toMatch(/cmdstat_publish:calls=1,/);
    hints.stop();
  });

  test("are told when their connection was lost, and hear again", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    const hints = await listened(store, "k");
    await openClient(server.url).call("CLIENT", "KILL", "TYPE", "pubsub");
    await until("the loss is a hint", 15_000, () => hints.count > 0);
    const before = hints.count;
    const request = permitRequest(everySecond);
    await store.reserve("k", request);
    await store.release("k", { id: request.id, keep: 0 });
    await until("a hint came", 10_000, () => hints.count > before);
  });

  test("wake a pacer that was refused, long before its permit would be due", async () => {
    const server = await ownServer();
    const [store, other] = [openStore({ url: server.url }), openStore({ url: server.url })];
    const admin = openClient(server.url);
    const options = { everyMs: 60_000, keepMs: 120_000, maxReserved: 5 };
    for (const id of ["1", "2"]) await other.reserve("k", permitRequest({ ...options, id }));
    const pacer = createPacer({ name: "k", every: "60s", maxReserved: 0, store });
    const waiting = pacer.acquire(1, { timeout: "30s" });
    const where = permitKeys("dt", "k");
    await until("it is in the queue and listens", 10_000, async () => {
      return (await listenersOf(admin, where)) === 1 && (await admin.zcard(where.keys[3] as string)) === 2;
    });
    await other.release("k", { id: "2", keep: 0 });
    await other.release("k", { id: "1", keep: 0 });
    expect(await waiting).toBeDefined();
    await pacer.stop();
  });
});

describe("a key in Redis", () => {
  test("vanishes within a minute after nothing of it is to come", async () => {
    const server = await ownServer();
    const admin = openClient(server.url);
    const store = openStore({ url: server.url });
    const { keys } = permitKeys("dt", "k");
    const shortestAndLongest = async (): Promise<number[]> => {
      const left = await Promise.all(keys.map((key) => admin.pttl(key)));
      return [Math.min(...left), Math.max(...left)];
    };
    await store.reserve("k", permitRequest({ everyMs: 2_000, keepMs: 7_000 }));
    const [least, most] = await shortestAndLongest();
    expect(least).toBeGreaterThan(66_000);
    expect(most).toBeLessThanOrEqual(67_000);
    // What is still covered is not written again and again.
    await store.reserve("k", permitRequest({ everyMs: 2_000, queueMs: 30_000 }));
    expect((await shortestAndLongest())[1]).toBeLessThanOrEqual(67_000);
    // In the queue until its permit is due in 4 s, and 100 s more.
    await store.reserve("k", permitRequest({ everyMs: 2_000, queueMs: 100_000 }));
    const [sooner, later] = await shortestAndLongest();
    expect(sooner).toBeGreaterThan(160_000);
    expect(later).toBeLessThanOrEqual(164_000);
  });

  test("that was evicted in part begins anew, or loses no distance", async () => {
    const server = await ownServer();
    const admin = openClient(server.url);
    const store = openStore({ url: server.url });
    const { keys } = permitKeys("dt", "k");
    const requests = Array.from({ length: 4 }, () => permitRequest({ ...everySecond, queueMs: 10_000 }));
    for (const lost of keys) {
      let last = 0;
      for (const request of requests) last = instantOf(await store.reserve("k", request), 0);
      await store.release("k", { id: requests[2]?.id as string, keep: 0 });
      await store.reserve("k", permitRequest({ maxReserved: 0, queueMs: 10_000 }));
      await admin.del(lost);
      const after = await store.reserve("k", permitRequest({ ...everySecond }));
      expect(after.granted + after.retryAfterMs).toBeGreaterThan(0);
      const instant = instantOf(after, 0);
      if (lost === keys[0]) expect(instant).toBe(after.storeTimeMs);
      else if (after.granted === 1) expect([last, last - 1_000]).toContain(instant - (instant > last ? 1_000 : 0));
      await store.release("k", { id: requests[1]?.id as string, keep: 0 });
      await admin.del(...keys);
    }
  });

  test("is apart from the group and from other keys of any name, and from other prefixes", async () => {
    const server = await ownServer();
    const [store, other] = [openStore({ url: server.url }), openStore({ url: server.url, prefix: "other" })];
    const names = [
      "k",
      "{k}",
      "k}",
      "k:permits",
      "%7Bk%7D",
      "{",
      "}",
      "k ",
      "K",
      "ünï",
      " \r\n\t*?[x]\\:",
      "x".repeat(1_024),
    ];
    for (const name of names) {
      expect(await store.reserve(name, permitRequest()), name).toMatchObject({ granted: 1 });
      expect(await store.reserve(name, permitRequest()), name).toMatchObject({ granted: 0 });
    }
    expect(await other.reserve("k", permitRequest())).toMatchObject({ granted: 1 });
    expect(await store.inspect("k")).toMatchObject({ memberCount: 0 });
  });
});

describe("a call", () => {
  test("is one command, whatever the key has seen, and does no more within for many than for few", async () => {
    const server = await ownServer();
    const admin = openClient(server.url);
    const store = openStore({ url: server.url, timeout: "10s" });
    const spent = async (key: string, ahead: number, given = 0): Promise<Record<string, number>> => {
      const request = { everyMs: 10_000, maxReserved: 100_000, keepMs: 600_000 };
      const made: PermitRequest[] = [];
      for (let i = 0; i < ahead; i++) {
        made.push(permitRequest(request));
        await store.reserve(key, made[i] as PermitRequest);
      }
      // From the middle, so that they are instants given back and not the end of what is reserved.
      for (const { id } of made.slice(1, 1 + given)) await store.release(key, { id, keep: 0 });
      await admin.call("CONFIG", "RESETSTAT");
      await store.reserve(key, permitRequest(request));
      const info = await admin.info("commandstats");
      const counts = [...info.matchAll(/cmdstat_([\w|]+):calls=(\d+)/g)].map(([, name, calls]) => [
        name,
        Number(calls),
      ]);
      return Object.fromEntries(counts.filter(([name]) => !/^(config|info)/.test(String(name))));
    };
    const expected = {
      evalsha: 1,
      time: 1,
      hmget: 1,
      zrangebyscore: 1,
      zcard: 1,
      zadd: 1,
      hset: 1,
    };
    const few = await spent("few", 3);
    expect(few).toMatchObject(expected);
    expect(await spent("many", 3_000)).toEqual({ ...few, ...expected });
    const withFreed = await spent("few given back", 4, 2);
    expect(withFreed).toMatchObject({ evalsha: 1, zrangebyscore: 2, zremrangebyscore: 1, zrem: 1, zadd: 1 });
    expect(await spent("many given back", 2_000, 1_000)).toEqual(withFreed);
  });

  test("is refused at the door when what it is given is malformed", async () => {
    const store = openStore({ url: "redis://127.0.0.1:1" });
    for (const call of [
      store.reserve("", permitRequest()),
      store.reserve("k", permitRequest({ everyMs: 0 })),
      store.release("k", { id: "", keep: 0 }),
      store.onPermitHint?.("", () => {}) as Promise<unknown>,
    ])
      expect(await failure(call)).toMatchObject({ code: "DT_INVALID_OPTION" });
  });

  test("settles by its deadline when the network is silent, as unknown, and works again after it", async () => {
    const server = await ownServer();
    const proxy = await FaultProxy.listen(server);
    afterwards(() => proxy.close());
    const store = openStore({ url: `redis://127.0.0.1:${proxy.port}` });
    const request = permitRequest(everySecond);
    await store.reserve("k", request);
    proxy.apply({ type: "stall" });
    const calls = [store.reserve("k", permitRequest(everySecond)), store.release("k", { id: request.id, keep: 0 })];
    for (const { value, ms } of await Promise.all(calls.map((call) => timed(failure(call))))) {
      expect(value).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
      expect(ms).toBeLessThan(1_600);
    }
    proxy.strand();
    await until("it works again", 10_000, () =>
      store.reserve("k", request).then(
        () => true,
        () => false,
      ),
    );
  });

  test("works in a server that has lost its data and its scripts", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    await store.reserve("k", permitRequest());
    const admin = openClient(server.url);
    await admin.script("FLUSH");
    expect(await store.reserve("k", permitRequest())).toMatchObject({ granted: 0 });
    await admin.flushall();
    expect(await store.reserve("k", permitRequest())).toMatchObject({ granted: 1 });
  });
});
