import { FaultProxy, timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { spendRequest } from "@dt-tooling/simulator/requests";
import type { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import { budgetKeys } from "../src/keys.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";

/** A request without a reservation. */
const only = (others: Parameters<typeof spendRequest>[1]) => {
  const { reserve: _, ...request } = spendRequest({}, others);
  return request;
};

describe.each([2, 3] as const)("over RESP%i", (protocol) => {
  test("two stores spend one budget, settle it and see what is left", async () => {
    const server = await ownServer();
    const options = { url: server.url, options: { protocol } };
    const [one, other] = [openStore(options), openStore(options)];
    const first = spendRequest({ costs: [1, 600.25] });
    expect(await one.spend("b", first)).toMatchObject({ granted: true, waitMs: 0, rests: [9, 399.75] });
    const second = spendRequest({ costs: [1, 500] });
    const refused = await other.spend("b", second);
    expect(refused).toMatchObject({ granted: false, atMs: 0, limitedBy: 1, rests: [9, 399.75] });
    expect(refused.waitMs).toBeGreaterThan(50_000);
    const settle = [{ id: first.reserve.id, costs: [1, 100.5], measured: true }];
    expect(await other.spend("b", { ...second, settle })).toMatchObject({ granted: true, rests: [8, 399.5] });
    expect(await one.spend("b", { ...second, settle })).toMatchObject({ granted: true, rests: [8, 399.5] });
    expect(await one.inspectBudget("b")).toMatchObject({
      budget: "b",
      limits: [
        { name: "calls", max: 10, windowMs: 60_000, spent: 2, margin: 0 },
        { name: "tokens", max: 1_000, windowMs: 60_000, spent: 600.5 },
      ],
      open: 1,
      pausedForMs: 0,
    });
    await one.resetBudget("b");
    expect(await other.inspectBudget("b")).toBeUndefined();
  });
});

describe("users of a budget", () => {
  test("of other terms are refused, also in other processes, until a reset", async () => {
    const server = await ownServer();
    const [one, other] = [openStore({ url: server.url }), openStore({ url: server.url })];
    await one.spend("b", spendRequest({}, { terms: "10 a minute" }));
    expect(await failure(other.spend("b", spendRequest({}, { terms: "20 a minute" })))).toMatchObject({
      code: "DT_PACE_MISMATCH",
      message: expect.stringContaining('"10 a minute", and this request asks for "20 a minute"'),
    });
    expect(await other.inspectBudget("b")).toMatchObject({ terms: "10 a minute", open: 1 });
    await other.resetBudget("b");
    expect(await other.spend("b", spendRequest({}, { terms: "20 a minute" }))).toMatchObject({ rests: [9, 900] });
  });

  test("wait together for the end of a pause", async () => {
    const server = await ownServer();
    const [one, other] = [openStore({ url: server.url }), openStore({ url: server.url })];
    await one.spend("b", only({ pauseMs: 30_000 }));
    const paused = await other.spend("b", spendRequest({ maxWaitMs: 60_000 }));
    expect(paused).toMatchObject({ granted: true, limitedBy: -1 });
    expect(paused.atMs).toBe(paused.storeTimeMs + paused.pausedForMs);
  });
});

/** The milliseconds that the server still keeps each key. */
const left = (admin: Redis, keys: readonly string[]): Promise<number[]> =>
  Promise.all(keys.map((key) => admin.pttl(key)));

describe("a budget in Redis", () => {
  test("vanishes a minute or two after nothing of it means anything, and no lease can be settled", async () => {
    const server = await ownServer();
    const admin = openClient(server.url);
    const store = openStore({ url: server.url });
    const { keys } = budgetKeys("dt", "b");
    const between = async (least: number, most: number): Promise<void> => {
      for (const ms of await left(admin, keys)) {
        expect(ms).toBeGreaterThan(least);
        // Rounded to a whole millisecond.
        expect(ms).toBeLessThanOrEqual(most + 1);
      }
    };
    // Two windows: the second is that of what was learned.
    await store.spend("b", spendRequest({ keepMs: 100 }));
    await between(230_000, 240_000);
    // What is still covered is not written again and again.
    await store.spend("b", spendRequest({ keepMs: 150_000 }));
    await between(230_000, 240_000);
    await store.spend("b", spendRequest({ keepMs: 1_000_000 }));
    await between(1_110_000, 1_120_000);
    await store.spend("other", only({ pauseMs: 7_000_000 }));
    for (const ms of await left(admin, budgetKeys("dt", "other").keys)) expect(ms).toBeGreaterThan(7_110_000);
  });

  test("keeps no lease that nobody can settle any more, and counts none", async () => {
    const server = await ownServer();
    const admin = openClient(server.url);
    const store = openStore({ url: server.url });
    const [hash, expiry] = budgetKeys("dt", "b").keys as [string, string];
    for (let i = 0; i < 250; i++) await store.spend("b", spendRequest({ costs: [0, 1], keepMs: 1 }));
    await until("all are forgotten", 10_000, async () => {
      await store.spend("b", only({}));
      return (await admin.hlen(hash)) === 1;
    });
    expect(await admin.zrange(expiry, "0", "-1")).toEqual([""]);
    expect(await store.inspectBudget("b")).toMatchObject({ open: 0, limits: [{ spent: 0 }, { spent: 250 }] });
  });

  test("that was evicted begins anew, and one whose leases have lost their order has it again", async () => {
    const server = await ownServer();
    const admin = openClient(server.url);
    const store = openStore({ url: server.url });
    const [hash, expiry] = budgetKeys("dt", "b").keys as [string, string];
    const first = spendRequest();
    await store.spend("b", first);
    await admin.del(expiry);
    expect(await store.spend("b", spendRequest())).toMatchObject({ granted: true, rests: [8, 800] });
    expect(await admin.zcard(expiry)).toBe(3);
    for (const ms of await left(admin, [hash, expiry])) expect(ms).toBeGreaterThan(230_000);
    await admin.del(expiry);
    const settle = [{ id: first.reserve.id, costs: [1, 0], measured: false }];
    expect(await store.spend("b", only({ settle }))).toMatchObject({ rests: [8, 900] });
    for (const lose of [() => admin.del(hash), () => admin.hdel(hash, "row")]) {
      const lost = spendRequest();
      await store.spend("b", lost);
      await lose();
      expect(await store.spend("b", only({}))).toMatchObject({ rests: [10, 1_000] });
      expect(await admin.zrange(expiry, "0", "-1")).toEqual([""]);
      expect(await admin.hkeys(hash)).toEqual(["row"]);
      for (const ms of await left(admin, [hash, expiry])) expect(ms).toBeGreaterThan(230_000);
    }
  });

  test("is apart from groups, keys of permits and budgets of any other name, and from other prefixes", async () => {
    const server = await ownServer();
    const [store, other] = [openStore({ url: server.url }), openStore({ url: server.url, prefix: "other" })];
    const names = [
      "b",
      "{b}",
      "b}",
      "b:budget",
      "%7Bb%7D",
      "{",
      "}",
      "b ",
      "B",
      "ünï",
      " \r\n\t*?[x]\\:",
      "x".repeat(1_024),
    ];
    for (const name of names) {
      expect(await store.spend(name, spendRequest()), name).toMatchObject({ rests: [9, 900] });
      expect(await store.spend(name, spendRequest()), name).toMatchObject({ rests: [8, 800] });
    }
    expect(await other.spend("b", spendRequest())).toMatchObject({ rests: [9, 900] });
    expect([...(await store.listBudgets()).budgets].sort()).toEqual([...names].sort());
    expect(await other.listBudgets()).toEqual({ budgets: ["b"] });
    expect(await store.inspect("b")).toMatchObject({ memberCount: 0 });
    expect(await store.inspectPermits("b")).toBeUndefined();
  });

  test("has limits, leases and terms of any name", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    const names = ["a b", "1 2 3", "", " ", "ünï \r\n 'x' \\", "}", "terms x", "x".repeat(128)].filter((name) => name);
    const limits = names.map((name, i) => ({ name, max: 100 + i, windowMs: 60_000, burst: 1 }));
    for (const [i, name] of names.entries()) {
      const request = {
        ...spendRequest({ id: name, costs: names.map(() => 0.5), maxWaitMs: 1e9 }),
        limits,
        terms: "a 'b'",
      };
      await store.spend("b", {
        ...request,
        ...(i > 0 && { settle: [{ id: names[i - 1] as string, costs: names.map(() => 0), measured: true }] }),
      });
    }
    const snapshot = await store.inspectBudget("b");
    expect(snapshot).toMatchObject({
      open: 1,
      terms: "a 'b'",
      limits: limits.map(({ name, max }) => ({ name, max, spent: 0.5 })),
    });
  });
});

describe("a call", () => {
  test("is one command, and does as many within for a full window as for an empty one", async () => {
    const server = await ownServer();
    const admin = openClient(server.url);
    const store = openStore({ url: server.url, timeout: "10s" });
    const limits = [{ name: "calls", max: 1e6, windowMs: 240, burst: 1e6 }];
    const within = async (settled: readonly string[]): Promise<Record<string, number>> => {
      await admin.call("CONFIG", "RESETSTAT");
      const settle = settled.map((id) => ({ id, costs: [1], measured: true }));
      await store.spend("b", { ...spendRequest({ costs: [1] }, { settle }), limits });
      const info = await admin.info("commandstats");
      const counts = [...info.matchAll(/cmdstat_([\w|]+):calls=(\d+)/g)].map(([, name, calls]) => [
        name,
        Number(calls),
      ]);
      return Object.fromEntries(counts.filter(([name]) => !/^(config|info)/.test(String(name))));
    };
    await store.spend("b", { ...spendRequest({ costs: [1] }), limits });
    const expected = { evalsha: 1, time: 1, hmget: 1, zrangebyscore: 1, zadd: 1, hset: 1 };
    expect(await within([])).toEqual(expected);
    const ids: string[] = [];
    for (let i = 0; i < 1_000; i++) {
      const request = spendRequest({ costs: [1] });
      ids.push(request.reserve.id);
      await store.spend("b", { ...request, limits });
    }
    expect(await within([])).toEqual(expected);
    expect(await within(ids)).toEqual({ ...expected, zrem: 1, hdel: 1 });
    expect(await store.inspectBudget("b")).toMatchObject({ open: 4 });
  });

  test("is refused at the door when what it is given is malformed", async () => {
    const store = openStore({ url: "redis://127.0.0.1:1" });
    for (const call of [
      store.spend("", spendRequest()),
      store.spend("b", spendRequest({ costs: [1] })),
      store.resetBudget(""),
      store.inspectBudget(""),
      store.listBudgets("nobody's"),
    ])
      expect(await failure(call)).toMatchObject({ code: "DT_INVALID_OPTION" });
  });

  test("settles by its deadline when the network is silent, as unknown, and works again after it", async () => {
    const server = await ownServer();
    const proxy = await FaultProxy.listen(server);
    afterwards(() => proxy.close());
    const store = openStore({ url: `redis://127.0.0.1:${proxy.port}` });
    const request = spendRequest();
    const first = await store.spend("b", request);
    proxy.apply({ type: "stall" });
    const calls = [
      store.spend("b", spendRequest()),
      store.resetBudget("b"),
      store.inspectBudget("b"),
      store.listBudgets(),
    ];
    for (const { value, ms } of await Promise.all(calls.map((call) => timed(failure(call))))) {
      expect(value).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
      expect(ms).toBeLessThan(1_600);
    }
    proxy.strand();
    const again = await until("it works again", 10_000, () => store.spend("b", request).catch(() => undefined));
    expect(again).toMatchObject({ granted: true, atMs: first.atMs, rests: [9, 900] });
  });

  test("fails by its deadline when the server is stopped, and the first after it goes on works", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    const request = spendRequest();
    await store.spend("b", request);
    await server.pause();
    const stopped = await timed(failure(store.spend("b", spendRequest())));
    expect(stopped.value?.code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
    expect(stopped.ms).toBeLessThan(1_600);
    await server.resume();
    expect(await store.spend("b", request)).toMatchObject({ granted: true });
  });

  test("works in a server that has lost its data and its scripts", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url });
    await store.spend("b", spendRequest());
    const admin = openClient(server.url);
    await admin.script("FLUSH");
    expect(await store.spend("b", spendRequest())).toMatchObject({ rests: [8, 800] });
    await admin.flushall();
    expect(await store.spend("b", spendRequest())).toMatchObject({ rests: [9, 900] });
  });

  test("on a server that is out of memory settles all of it, or nothing", async () => {
    const server = await ownServer();
    const admin = openClient(server.url);
    const store = openStore({ url: server.url });
    const first = spendRequest();
    await store.spend("b", first);
    await admin.config("SET", "maxmemory", "1");
    const settle = [{ id: first.reserve.id, costs: [1, 0], measured: false }];
    const full = await store.spend("b", only({ settle })).catch(({ code }) => code);
    const refused = await failure(store.spend("b", spendRequest()));
    await admin.config("SET", "maxmemory", "0");
    expect(refused).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
    const isRefused = full === "DT_STORE_UNAVAILABLE";
    expect(await store.inspectBudget("b")).toMatchObject({
      open: isRefused ? 1 : 0,
      limits: [{ spent: 1 }, { spent: isRefused ? 100 : 0 }],
    });
  });
});
