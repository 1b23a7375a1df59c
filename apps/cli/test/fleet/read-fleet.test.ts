import { DtError, MemoryStore } from "@dt/core";
import { newcomer, spendRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { FleetMemory } from "../../src/fleet/fleet-memory.ts";
import { readFleet, readLimiter } from "../../src/fleet/read-fleet.ts";
import type { AnyStore } from "../../src/stores/in-store.ts";

const ADDRESS = { kind: "sqlite", path: "limits.db" } as const;
const limit = { max: 5, windowMs: 3_600_000, burst: 5 };

/** A store with so many keys of each of these limits; every tenth key is used up. */
async function keyedStore(counts: Record<string, number>): Promise<MemoryStore> {
  const store = new MemoryStore();
  for (const [name, count] of Object.entries(counts))
    for (let at = 0; at < count; at++) {
      const take = { cost: at % 10 === 0 ? 5 : 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
      await store.take([{ name, key: `tenant-${at}`, limit, take }]);
    }
  return store;
}

/** A store of which some methods are others, or missing. */
function changed(store: MemoryStore, methods: Partial<Record<keyof AnyStore, unknown>>): AnyStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name in methods) return methods[name as keyof AnyStore];
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as AnyStore;
}

describe("keys", () => {
  test("are all counted, and the same number is looked at of each limit where there are many", async () => {
    await using store = await keyedStore({ few: 10, many: 300, more: 400 });
    const { limiters } = await readFleet(store, ADDRESS, { keys: 210, busiest: 3 });
    expect(limiters.map(({ name, keys }) => [name, keys?.count, keys?.read])).toEqual([
      ["few", 10, 10],
      ["many", 300, 100],
      ["more", 400, 100],
    ]);
    expect(limiters[1]?.keys?.busiest).toHaveLength(3);
  });

  test("are looked at in turns by a reader that reads again and again, and stay known", async () => {
    await using store = await keyedStore({ api: 450 });
    let looked = 0;
    const counting = changed(store, {
      inspectBucket: (...args: Parameters<MemoryStore["inspectBucket"]>) => {
        looked += 1;
        return store.inspectBucket(...args);
      },
    });
    const memory = new FleetMemory();
    const read = async () => (await readFleet(counting, ADDRESS, { keys: 100, memory })).limiters[0]?.keys;
    const counts: (number | undefined)[] = [];
    for (let turn = 0; turn < 5; turn++) counts.push((await read())?.read);
    expect(counts).toEqual([100, 200, 300, 400, 450]);
    expect(looked).toBe(450);
    expect(await read()).toMatchObject({ count: 450, read: 450, limited: 45 });
    expect(looked).toBe(550);
  });

  test("are looked at no more than asked for in a turn, and none is passed over", async () => {
    await using store = await keyedStore({ api: 450 });
    const memory = new FleetMemory();
    const counts: (number | undefined)[] = [];
    for (let turn = 0; turn < 7; turn++)
      counts.push((await readFleet(store, ADDRESS, { keys: 70, memory })).limiters[0]?.keys?.read);
    expect(counts).toEqual([70, 140, 210, 280, 350, 420, 450]);
  });

  test("that are gone are forgotten after a pass over all of them", async () => {
    await using store = await keyedStore({ api: 150 });
    const memory = new FleetMemory();
    const read = async () => (await readFleet(store, ADDRESS, { keys: 100, memory })).limiters[0]?.keys?.count;
    await read();
    expect(await read()).toBe(150);
    for (let at = 0; at < 149; at++) await store.resetBucket({ name: "api", key: `tenant-${at}` });
    for (let turn = 0; turn < 4; turn++) await read();
    expect(await read()).toBe(1);
  });

  test("go on from the beginning where the server of the list is another one", async () => {
    await using store = await keyedStore({ api: 250 });
    let fails = 1;
    const restarted = changed(store, {
      listBuckets: (cursor?: string) => {
        if (cursor !== undefined && fails-- > 0) throw new DtError("DT_INVALID_OPTION", "begin the list anew");
        return store.listBuckets(cursor);
      },
    });
    expect((await readFleet(restarted, ADDRESS)).limiters[0]?.keys).toMatchObject({ count: 250, read: 250 });
    fails = 1;
    const memory = new FleetMemory();
    for (let turn = 0; turn < 4; turn++) await readFleet(restarted, ADDRESS, { keys: 100, memory });
    expect((await readFleet(restarted, ADDRESS, { keys: 100, memory })).limiters[0]?.keys?.count).toBe(250);
  });
});

describe("one limiter", () => {
  test("is read by its kind and name", async () => {
    await using store = await keyedStore({ api: 30, other: 30 });
    await store.register("payments", newcomer({ id: "web-1" }));
    expect(await readLimiter(store, "throttle", "payments")).toMatchObject({ members: [{ id: "web-1" }] });
    expect(await readLimiter(store, "throttle", "paymnets")).toBeUndefined();
    expect(await readLimiter(store, "keyed", "api", { busiest: 30 })).toMatchObject({ keys: { count: 30, read: 30 } });
    expect(await readLimiter(store, "keyed", "api", { key: "tenant-3" })).toMatchObject({
      keys: { count: 1, busiest: [{ key: "tenant-3" }] },
    });
    expect(await readLimiter(store, "keyed", "api", { key: "tenant-99" })).toBeUndefined();
    expect(await readLimiter(store, "keyed", "ipa")).toBeUndefined();
  });
});

describe("a store", () => {
  test("without budgets, keys, permits or limits shows what it has", async () => {
    await using store = new MemoryStore();
    await store.register("payments", newcomer());
    await store.spend("llm", spendRequest());
    const lacking = Object.fromEntries(
      [
        "listBudgets",
        "inspectBudget",
        "listBuckets",
        "inspectBucket",
        "listPermits",
        "inspectPermits",
        "readLimit",
      ].map((name) => [name, undefined]),
    );
    const { limiters } = await readFleet(changed(store, lacking), ADDRESS);
    expect(limiters.map(({ name }) => name)).toEqual(["payments"]);
  });

  test("that lists a name on two pages shows it once", async () => {
    await using store = new MemoryStore();
    await store.register("payments", newcomer());
    const twice = changed(store, {
      list: async (cursor?: string) => ({ groups: ["payments", "payments"], ...(cursor ? {} : { next: "2" }) }),
    });
    expect((await readFleet(twice, ADDRESS)).limiters).toHaveLength(1);
  });

  test("that is away is an error, and no finding about each of its limiters", async () => {
    await using store = new MemoryStore();
    await store.register("payments", newcomer());
    const away = async () => {
      throw new DtError("DT_STORE_UNAVAILABLE", "connection refused");
    };
    const read = (methods: object) => readFleet(changed(store, methods), ADDRESS);
    await expect(read({ list: away })).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    await expect(read({ inspect: away })).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
    await store.register("mail", newcomer());
    const half = await read({ inspect: (group: string) => (group === "mail" ? away() : store.inspect(group)) });
    expect(half.limiters).toMatchObject([{ name: "mail", error: { code: "DT_STORE_UNAVAILABLE" } }, { state: "ok" }]);
  });

  test("is asked no more than so much at the same time", async () => {
    await using store = await keyedStore({ api: 90 });
    let [now, most] = [0, 0];
    const counted = changed(store, {
      inspectBucket: async (...args: Parameters<MemoryStore["inspectBucket"]>) => {
        most = Math.max(most, ++now);
        await new Promise(setImmediate);
        now -= 1;
        return store.inspectBucket(...args);
      },
    });
    await readFleet(counted, ADDRESS, { concurrency: 7 });
    expect(most).toBe(7);
  });

  test("that fails to read a limit is a finding", async () => {
    await using store = new MemoryStore();
    await store.register("payments", newcomer());
    const damaged = changed(store, {
      readLimit: async () => {
        throw new DtError("DT_STORE_DATA", "a record is damaged");
      },
    });
    const { limiters } = await readFleet(damaged, ADDRESS);
    expect(limiters[0]?.findings[0]).toMatchObject({
      ...{ state: "attention", code: "damaged", text: "its limit in the store cannot be read: a record is damaged" },
    });
    expect(limiters[0]?.members).toHaveLength(1);
  });

  test("is read no further once the signal has aborted", async () => {
    await using store = await keyedStore({ api: 5 });
    const reason = new Error("enough");
    await expect(readFleet(store, ADDRESS, { signal: AbortSignal.abort(reason) })).rejects.toBeDefined();
  });
});
