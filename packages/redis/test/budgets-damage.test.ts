import { failure } from "@dt-tooling/backends/failure";
import { spendRequest } from "@dt-tooling/simulator/requests";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { budgetKeys } from "../src/keys.ts";
import { openClient, openStore, ownServer } from "./support/keep.ts";

let admin: Redis;
let store: RedisStore;

beforeEach(async () => {
  const { url } = await ownServer();
  admin = openClient(url);
  store = openStore({ url });
});

/** A field that the server itself makes. */
const field = (name: string, values: string): string =>
  `return redis.call('HSET', KEYS[1], '${name}', cmsgpack.pack(${values}))`;

/** A row with one limit. */
const row = (limit: string): string => field("row", `'f1', 1, 0, 0, 0, '', '', { { ${limit} } }, false`);

const LEASE = "l:of the test";

describe("a budget whose data is not what was written", () => {
  const spoil: Record<string, (key: string) => Promise<unknown>> = {
    truncated: async (key) => {
      const packed = (await admin.hgetBuffer(key, "row")) as Buffer;
      await admin.hset(key, "row", packed.subarray(0, packed.length - 5));
    },
    empty: (key) => admin.hset(key, "row", ""),
    "of a text": (key) => admin.hset(key, "row", "hello"),
    "not a number": (key) => admin.eval(field("row", "'f1', 0/0, 0, 0, 0, '', '', {}, false"), 1, key),
    huge: (key) => admin.eval(field("row", "'f1', 1e300, 0, 0, 0, '', '', {}, false"), 1, key),
    "of a newer version": (key) => admin.eval(field("row", "'f2', 1, 0, 0, 0, '', '', {}, false, 'more'"), 1, key),
    "one field short": (key) => admin.eval(field("row", "'f1', 1, 0, 0, 0, '', '', {}"), 1, key),
    "with a copy that is none": (key) => admin.eval(field("row", "'f1', 1, 0, 0, 0, '', '', {}, 'copy'"), 1, key),
    "with a copy of no max": (key) => admin.eval(field("row", "'f1', 1, 0, 0, 0, '', '', {}, { 1, 'calls' }"), 1, key),
    "with terms that are none": (key) => admin.eval(field("row", "'f1', 1, 0, 0, 0, 5, '', {}, false"), 1, key),
    "with limits that are none": (key) => admin.eval(field("row", "'f1', 1, 0, 0, 0, '', '', 'limits', false"), 1, key),
    "with a limit that is a number": (key) => admin.eval(field("row", "'f1', 1, 0, 0, 0, '', '', { 5 }"), 1, key),
    "with a limit of 0": (key) => admin.eval(row("'calls', 0, 1, 0, 0, 0, 0, 0, {}, {}, {}"), 1, key),
    "with a limit without a name": (key) => admin.eval(row("5, 1, 1, 0, 0, 0, 0, 0, {}, {}, {}"), 1, key),
    "with a limit that has one field more": (key) => admin.eval(row("'c', 1, 1, 0, 0, 0, 0, 0, {}, {}, {}, 1"), 1, key),
    "with more slots than units": (key) => admin.eval(row("'c', 1, 1, 0, 0, 0, 0, 0, {}, { 1, 2 }, { 1 }"), 1, key),
    "with fewer slots than units": (key) => admin.eval(row("'c', 1, 1, 0, 0, 0, 0, 0, {}, { 1 }, { 1, 2 }"), 1, key),
    "with units that are none": (key) => admin.eval(row("'c', 1, 1, 0, 0, 0, 0, 0, {}, { 1 }, { {} }"), 1, key),
    "with units without an end": (key) => admin.eval(row("'c', 1, 1, 0, 0, 0, 0, 0, {}, { 1 }, { 1/0 }"), 1, key),
    "with a pace that is none": (key) => admin.eval(row("'c', 1, 1, 0, 0, 0, 0, 0, { 0/0 }, {}, {}"), 1, key),
    "another type": async (key) => {
      await admin.del(key);
      await admin.set(key, "a text");
    },
    "another type of its leases' order": (key) => admin.set(`${key}:expiry`, "a text"),
  };

  test.each(Object.entries(spoil))(
    "%s: is said with the key and the remedy, and a reset makes it good",
    async (name, spoilIt) => {
      const budget = `damaged ${name}`;
      const [first] = budgetKeys("dt", budget).keys as [string];
      await store.spend(budget, spendRequest());
      await spoilIt(first);
      const before = await admin.dump(first);
      for (const call of [() => store.spend(budget, spendRequest()), () => store.inspectBudget(budget)]) {
        const error = await failure(call());
        expect(error.code).toBe("DT_STORE_DATA");
        expect(error.message).toMatch(/^redis key .*holds .*call resetBudget\(name\)/);
        expect(error.message).toContain(first);
      }
      expect(await admin.dump(first)).toBe(before);
      await store.resetBudget(budget);
      expect(await store.spend(budget, spendRequest())).toMatchObject({ granted: true, rests: [9, 900] });
      expect(await admin.pttl(first)).toBeGreaterThan(0);
    },
  );
});

describe("a lease whose data is not what was written", () => {
  const spoil: Record<string, (key: string) => Promise<unknown>> = {
    "of a text": (key) => admin.hset(key, LEASE, "hello"),
    "of a newer version": (key) => admin.eval(field(LEASE, "'f2', 1, 0, 0, 0, 1, { 1, 100 }"), 1, key),
    "not a number": (key) => admin.eval(field(LEASE, "'f1', 0/0, 0, 0, 0, 1, { 1, 100 }"), 1, key),
    "without costs": (key) => admin.eval(field(LEASE, "'f1', 1, 0, 0, 0, 1, 5"), 1, key),
    "with costs that are none": (key) => admin.eval(field(LEASE, "'f1', 1, 0, 0, 0, 1, { 1, 'x' }"), 1, key),
  };

  test.each(Object.entries(spoil))("%s: is said where it is asked for, and others are served", async (_, spoilIt) => {
    const [first] = budgetKeys("dt", "b").keys as [string];
    const id = LEASE.slice(2);
    await store.spend("b", spendRequest({ id }));
    await spoilIt(first);
    const before = await admin.dump(first);
    const settle = [{ id, costs: [1, 0], measured: true }];
    for (const request of [spendRequest({ id }), spendRequest({}, { settle })]) {
      const error = await failure(store.spend("b", request));
      expect(error.code).toBe("DT_STORE_DATA");
      expect(error.message).toContain(`redis key ${first} holds `);
    }
    expect(await admin.dump(first)).toBe(before);
    expect(await store.spend("b", spendRequest())).toMatchObject({ granted: true, rests: [8, 800] });
  });
});
