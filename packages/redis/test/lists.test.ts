import { newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { nameOf, namePattern } from "../src/keys.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";

interface Names {
  readonly groups: readonly string[];
  readonly keys: readonly string[];
  readonly pages: number;
}

/** All names of a store, in order. */
async function namesOf(store: RedisStore): Promise<Names> {
  const [groups, keys] = [new Set<string>(), new Set<string>()];
  let pages = 0;
  for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
    const page = await store.list(next);
    for (const group of page.groups) groups.add(group);
    next = page.next;
    pages += 1;
  }
  for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
    const page = await store.listPermits(next);
    for (const key of page.keys) keys.add(key);
    next = page.next;
  }
  return { groups: [...groups].sort(), keys: [...keys].sort(), pages };
}

const use = async (store: RedisStore, ...names: readonly string[]): Promise<void> => {
  for (const name of names) {
    await store.register(name, newcomer());
    await store.reserve(name, permitRequest());
  }
};

describe("the names of groups and keys", () => {
  test("are those of the prefix, whatever characters it has, and of no prefix that begins like it", async () => {
    const { url } = await ownServer();
    for (const prefix of ["dt", "dt*", "d?", "[dt]", "dt\\", "dt:x", "^dt", "%7B"]) {
      const store = openStore({ url, prefix });
      await use(store, `of ${prefix}`, "{braces} 100%7B");
      expect(await namesOf(store), prefix).toMatchObject({
        groups: [`of ${prefix}`, "{braces} 100%7B"].sort(),
        keys: [`of ${prefix}`, "{braces} 100%7B"].sort(),
      });
    }
  });

  test("are found among the keys of others, in more pages than one", async () => {
    const { url } = await ownServer();
    const store = openStore({ url });
    await use(store, "a");
    const client = openClient(url);
    const others = Array.from({ length: 5_000 }, (_, i) => [`other:${i}`, "x"]).flat();
    await client.mset(
      ...others,
      "dt:{a}:b}:rows",
      "x",
      "dt:{%41}:rows",
      "x",
      "dt:{}:rows",
      "x",
      "dt:{a}:permits:rows",
      "x",
    );
    const { pages, ...names } = await namesOf(store);
    expect(names).toEqual({ groups: ["a"], keys: ["a"] });
    expect(pages).toBeGreaterThanOrEqual(3);
  });

  test("are found below the keyPrefix of a client", async () => {
    const { url } = await ownServer();
    const clients = ["one*:", "two:"].map(
      (keyPrefix) => new Redis(url, { autoResendUnfulfilledCommands: false, keyPrefix }),
    );
    afterwards(() => clients.map((client) => client.disconnect()));
    const [one, two] = clients.map((client) => openStore({ client })) as [RedisStore, RedisStore];
    await use(one, "of one");
    await use(two, "of two");
    expect(await namesOf(one)).toMatchObject({ groups: ["of one"], keys: ["of one"] });
    expect(await namesOf(two)).toMatchObject({ groups: ["of two"], keys: ["of two"] });
  });

  test("are listed for a client of unknown kind too", async () => {
    const { url } = await ownServer();
    const client = openClient(url);
    const store = openStore({ client: { call: (command, ...args) => client.call(command, ...args) } });
    await use(store, "a");
    expect(await namesOf(store)).toMatchObject({ groups: ["a"], keys: ["a"] });
  });

  test("are not gone on with after the server was restarted, since its cursors mean nothing then", async () => {
    const server = await ownServer();
    const store = openStore({ url: server.url, timeout: "5s" });
    const client = openClient(server.url);
    await client.mset(...Array.from({ length: 5_000 }, (_, i) => [`other:${i}`, "x"]).flat());
    const { next } = await store.list();
    expect(next).toBeDefined();
    await store.list(next);
    await server.restart({ keepData: true });
    await expect(store.list(next)).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining("the server was restarted since"),
    });
    expect(await store.list()).toMatchObject({ next: expect.any(String) });
  });
});

test.each([
  ["dt:{a}:rows", "a"],
  ["dt:{%7Ba%7D%25}:rows", "{a}%"],
  ["dt:{é}:rows", "é"],
  ["dt:{a}:row", undefined],
  ["dt:{a}:b}:rows", undefined],
  ["dt:{a%2F}:rows", undefined],
  ["dt:{a%7b}:rows", undefined],
  ["dt:{a}:budget", undefined],
  ["dt:{%}:rows", undefined],
  ["dt:{}:rows", undefined],
  ["DT:{a}:rows", undefined],
])("the key %j is of the group %j", (key, name) => expect(nameOf("dt", "rows", key)).toBe(name));

test("a pattern means its prefix to the letter", () => {
  expect(namePattern("a*b?c[d]\\", "permits")).toBe("a\\*b\\?c\\[d\\]\\\\:{*}:permits");
});

test("an inspection of a key of permits writes nothing", async () => {
  const { url } = await ownServer();
  const store = openStore({ url });
  const client = openClient(url);
  await store.reserve("k", permitRequest({ everyMs: 1_000, keepMs: 60_000, terms: "one a second" }));
  const before = await client.dump("dt:{k}:permits");
  expect(await store.inspectPermits("k")).toMatchObject({
    key: "k",
    known: 1,
    terms: "one a second",
    freed: 0,
    waiting: 0,
  });
  expect(await client.dump("dt:{k}:permits")).toBe(before);
  expect(await store.inspectPermits("other")).toBeUndefined();
  expect(await client.exists("dt:{other}:permits")).toBe(0);
});

test("an inspection of a budget writes nothing, and the names of budgets are told from those of keys", async () => {
  const { url } = await ownServer();
  const store = openStore({ url });
  const client = openClient(url);
  await store.spend("b", spendRequest({}, { terms: "10 a minute" }));
  await store.reserve("k", permitRequest());
  const before = await client.dump("dt:{b}:budget");
  expect(await store.inspectBudget("b")).toMatchObject({ budget: "b", terms: "10 a minute", open: 1 });
  expect(await client.dump("dt:{b}:budget")).toBe(before);
  expect(await store.inspectBudget("other")).toBeUndefined();
  expect(await client.exists("dt:{other}:budget", "dt:{other}:budget:expiry")).toBe(0);
  expect(await store.listBudgets()).toEqual({ budgets: ["b"] });
  expect(await store.listPermits()).toEqual({ keys: ["k"] });
  expect(await store.list()).toEqual({ groups: [] });
});
