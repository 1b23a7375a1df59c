import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer, refOf } from "@dt-tooling/simulator/requests";
import { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import { type RedisStore, type RedisStoreOptions, redisStore } from "../src/index.ts";
import { groupKeys } from "../src/keys.ts";
import { redis as admin, server, useServer } from "./support/own-server.ts";

useServer();

let groups = 0;
const prefix = `store-${process.pid}`;
const stores: RedisStore[] = [];

const open = (options: RedisStoreOptions = { url: server.url }): RedisStore => {
  const store = redisStore({ prefix, timeout: "10s", ...options });
  stores.push(store);
  return store;
};
const newGroup = (): string => `g${++groups}`;

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

describe.each([2, 3] as const)("over RESP%i", (protocol) => {
  const openWith = (): RedisStore => open({ url: server.url, options: { protocol } });

  test("two members share the pool, agree, and the one that stays gets all of it", async () => {
    const store = openWith();
    const group = newGroup();
    const [a, b] = [newcomer(), newcomer()];
    const first = accepted(await store.register(group, a));
    expect(first).toMatchObject({ status: "agree", members: 1, rank: 0, held: 10, entitled: 10, capacity: 10 });
    const second = accepted(await store.register(group, b));
    expect(second).toMatchObject({ status: "disagree", members: 2, rank: 1, held: 0, entitled: 0 });
    expect(second.generation).toBeGreaterThan(first.generation);

    const lowered = await store.sync(group, a, adopting(second, 2, { held: 5 }));
    expect(lowered).toMatchObject({ status: "agree", held: 5 });
    const raised = await store.sync(group, b, adopting(second, 2));
    expect(raised).toMatchObject({ status: "agree", held: 5, reportedMembers: 2 });

    await store.deregister(group, a, { seq: 3, level: null });
    expect(await store.sync(group, b, adopting(raised, 3))).toMatchObject({ members: 1, held: 10, rank: 0 });
    expect(await store.sync(group, a, adopting(raised, 4))).toMatchObject({ status: "unknown" });
  });

  test("times keep their fractions and numbers their last digit", async () => {
    const store = openWith();
    const group = newGroup();
    const max = 999_999_999_999;
    const registration = newcomer({ max, level: 0.1 + 0.2, resumeWithinMs: 60_000, staleAfterMs: 1_000.000_1 });
    const view = accepted(await store.register(group, registration));
    expect(view).toMatchObject({ held: max, capacity: max, entitled: max });
    const times = await Promise.all(
      [1, 2, 3, 4, 5].map((seq) => store.sync(group, registration, adopting(view, 1 + seq))),
    );
    expect(times.some(({ storeTimeMs }) => !Number.isInteger(storeTimeMs))).toBe(true);
    const [member] = (await store.inspect(group)).members;
    expect(member).toMatchObject({ max, held: max });
    await store.deregister(group, registration, { seq: 9, level: 0.1 + 0.2 });
    const back = await store.register(group, newcomer({ id: registration.id }));
    expect(back).toMatchObject({ resumeLevel: 0.1 + 0.2 });
  });

  test("a group is shown as data, members in order of rank", async () => {
    const store = openWith();
    const group = newGroup();
    expect(await store.inspect(group)).toMatchObject({ group, generation: 0, memberCount: 0, members: [] });
    const registrations = Array.from({ length: 30 }, () => newcomer({ max: 90 }));
    for (const registration of registrations) await store.register(group, registration);
    const snapshot = await store.inspect(group);
    expect(snapshot.members.map(({ id, rank }) => [id, rank])).toEqual(registrations.map(({ id }, rank) => [id, rank]));
    expect(snapshot).toMatchObject({ memberCount: 30, capacity: 90, intervalMs: 1_000, learning: false });
  });
});

describe("groups", () => {
  test("do not see each other, whatever their names", async () => {
    const store = open();
    const names = ["a", "{a}", "a}", "{a", "%7Ba%7D", "a%", "a%25", "a:rows", "a}:rows{"].map(
      (name) => `${name}-${groups}`,
    );
    for (const [i, name] of names.entries()) await store.register(name, newcomer({ max: 10 + i }));
    for (const [i, name] of names.entries()) {
      expect(await store.inspect(name)).toMatchObject({ group: name, memberCount: 1, capacity: 10 + i });
    }
  });

  test("of different prefixes do not see each other", async () => {
    const [one, other] = [open(), open({ url: server.url, prefix: `${prefix}-other` })];
    const group = newGroup();
    await one.register(group, newcomer());
    expect(await other.inspect(group)).toMatchObject({ memberCount: 0 });
  });

  test("of a client with a keyPrefix are below it", async () => {
    const client = new Redis(server.url, { autoResendUnfulfilledCommands: false, keyPrefix: `app-${process.pid}:` });
    const store = open({ client });
    const group = newGroup();
    await store.register(group, newcomer());
    await store.register(group, newcomer());
    expect(await store.inspect(group)).toMatchObject({ memberCount: 2 });
    const keys = await admin.keys(`app-${process.pid}:*`);
    expect(keys.sort()).toEqual(
      [`${prefix}:data`, ...groupKeys(prefix, group).keys].map((key) => `app-${process.pid}:${key}`).sort(),
    );
    client.disconnect();
  });

  test("with another interval are refused, and the group stays as it was", async () => {
    const store = open();
    const group = newGroup();
    await store.register(group, newcomer());
    const error = await failure(store.register(group, newcomer({ intervalMs: 2_000 })));
    expect(error.code).toBe("DT_INTERVAL_MISMATCH");
    expect(error.message).toContain("2000 ms, but the group runs with 1000 ms");
    expect(await store.inspect(group)).toMatchObject({ memberCount: 1, intervalMs: 1_000 });
  });
});

describe("the server's memory of a group", () => {
  const dayMs = 86_400_000;
  const expiries = (group: string): Promise<number[]> =>
    Promise.all(groupKeys(prefix, group).keys.map((key) => admin.pttl(key)));

  test("lasts at least a day after the last sign of life, for every key", async () => {
    const store = open();
    const group = newGroup();
    const registration = newcomer({ level: 3, resumeWithinMs: 60_000 });
    await store.register(group, registration);
    await store.deregister(group, registration, { seq: 2, level: 3 });
    for (const ms of await expiries(group)) expect(ms).toBeGreaterThan(dayMs);
  });

  test("lasts longer than the longest stale and resume age, and than the epoch in which its last tokens were used", async () => {
    const store = open();
    const group = newGroup();
    const longest = newcomer({ staleAfterMs: 3 * dayMs, resumeWithinMs: 5 * dayMs, intervalMs: 30 * dayMs });
    await store.register(group, longest);
    for (const ms of await expiries(group)) expect(ms).toBeGreaterThan(39 * dayMs);
  });

  test("is prolonged by syncs once half of it is over, and not before", async () => {
    const store = open();
    const group = newGroup();
    const registration = newcomer();
    const view = await store.register(group, registration);
    await store.sync(group, registration, adopting(view, 2));
    const calls = async (): Promise<number> =>
      Number(/cmdstat_pexpireat:calls=(\d+)/.exec(await admin.info("commandstats"))?.[1] ?? 0);
    const before = await calls();
    for (let seq = 3; seq < 50; seq++) await store.sync(group, registration, adopting(view, seq));
    expect(await calls()).toBe(before);

    await rewindKept(group, 0.6 * dayMs);
    await store.sync(group, registration, adopting(view, 50));
    for (const ms of await expiries(group)) expect(ms).toBeGreaterThan(dayMs);
  });

  /** Makes the group's row say that the expiry was last set so long ago, and lets that time pass for the keys. */
  async function rewindKept(group: string, byMs: number): Promise<void> {
    const { keys } = groupKeys(prefix, group);
    const text = `
      local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], 'group')) }
      row[21] = row[21] - ARGV[1]
      redis.call('HSET', KEYS[1], 'group', cmsgpack.pack(unpack(row)))
      for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, redis.call('PTTL', key) - ARGV[1]) end`;
    await admin.eval(text, keys.length, ...keys, byMs);
  }

  test("that another application wrote to is refused by name", async () => {
    const store = open();
    const group = newGroup();
    await admin.set(groupKeys(prefix, group).keys[0] as string, "mine");
    const error = await failure(store.register(group, newcomer()));
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expect(error.message).toContain("choose another `prefix`");
  });
});

describe("scripts", () => {
  test("are loaded again when the server forgot them, also under load", async () => {
    const store = open();
    const group = newGroup();
    const registration = newcomer();
    let view = accepted(await store.register(group, registration));
    for (let seq = 2; seq < 40; seq++) {
      if (seq % 5 === 0) await admin.script("FLUSH");
      view = accepted(await store.sync(group, registration, adopting(view, seq)));
      expect(view).toMatchObject({ status: "agree", members: 1 });
    }
    await admin.script("FLUSH");
    const views = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.sync(group, registration, adopting(view, 100 + i))),
    );
    expect(views.every(({ status }) => status === "agree")).toBe(true);
  });
});

describe("arguments", () => {
  test("are checked before anything is sent", async () => {
    const store = open({ url: "redis://127.0.0.1:1" });
    const registration = newcomer();
    for (const call of [
      store.register("", registration),
      store.register("g", { ...registration, max: 0 }),
      store.sync("g", refOf(registration), { seq: 0, generation: 0, members: 0, held: 0, max: 1, level: null }),
      store.deregister("g", { id: "", incarnation: "x" }, { seq: 1, level: null }),
      store.inspect("x".repeat(1_025)),
      store.onHint?.("\ud800", () => {}) ?? Promise.resolve(),
    ]) {
      const error = await failure(call);
      expect([error.code, error.effect]).toEqual(["DT_INVALID_OPTION", "definite"]);
    }
  });
});
