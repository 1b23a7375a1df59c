import type { BucketRef, BucketRequest } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { bucketKey } from "../src/keys.ts";
import { one, TEN } from "./support/bucket-requests.ts";
import { openStore } from "./support/keep.ts";
import { redis, server, store, useServer } from "./support/own-server.ts";

useServer();

async function listed(of: RedisStore): Promise<BucketRef[]> {
  const all: BucketRef[] = [];
  for (let next: string | undefined, first = true; first || next !== undefined; first = false) {
    const page = await of.listBuckets(next);
    all.push(...page.buckets);
    next = page.next;
  }
  return all;
}

async function counters(): Promise<Map<string, number>> {
  const info = await redis.info("commandstats");
  return new Map(
    [...info.matchAll(/cmdstat_(\w+):calls=(\d+)/g)].map(([, name, calls]) => [String(name), Number(calls)]),
  );
}

/** The commands that the server ran for this, by name. */
async function commandsOf(act: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await counters();
  await act();
  const more = [...(await counters())].map(([name, calls]) => [name, calls - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(more.filter(([name, calls]) => calls > 0 && name !== "info"));
}

describe("a batch", () => {
  const keys = (count: number, prefix: string): BucketRequest[] =>
    Array.from({ length: count }, (_, i) => one(`${prefix}-${i}`));

  test.each([1, 10, 1_000])("of %i requests is one command, with one inside for each and one more", async (count) => {
    await store.take([one("known")]);
    for (const _ of ["new", "known"])
      expect(await commandsOf(() => store.take(keys(count, `batch-${count}`)))).toEqual({
        ...{ evalsha: 1, time: 1, mget: 1, set: count },
      });
  });

  test("of requests with stored limits reads each record", async () => {
    const stored = keys(3, "stored").map((request) => ({ ...request, stored: true }));
    expect(await commandsOf(() => store.take([...keys(2, "code"), ...stored]))).toEqual({
      ...{ evalsha: 1, time: 1, mget: 1, hmget: 3, set: 5 },
    });
  });

  test("serves requests to one bucket in their order, whatever they ask", async () => {
    const hold = { id: "p", seq: 1, spent: 0, keep: 0, forMs: 60_000 };
    const answers = await store.take([
      one("order"),
      one("order", { hold }),
      one("x"),
      one("order"),
      one("order", { hold }),
    ]);
    expect(
      answers.map((answer) => [
        Math.round((answer as { remaining: number }).remaining),
        "inHand" in answer && answer.inHand,
      ]),
    ).toEqual([
      ...[
        [9, 0],
        [8, 1],
        [9, 0],
        [7, 0],
        [7, 1],
      ],
    ]);
  });

  test("answers a request with another limit with its own error, and the others as ever", async () => {
    await store.take([one("mine")]);
    const answers = await store.take([one("mine", { limit: { ...TEN, max: 2 } }), one("mine")]);
    expect(answers).toEqual([
      expect.objectContaining({ code: "DT_PACE_MISMATCH" }),
      expect.objectContaining({ granted: 1 }),
    ]);
  });
});

describe("a stored limit", () => {
  test("takes the place of the code's, for its key alone, and its end brings that back", async () => {
    const target = { kind: "keyed", name: "api", key: "plan" } as const;
    await store.setLimit(target, { values: { max: 2, windowMs: 60_000, burst: 20 }, by: "ann" });
    const take = () => store.take([one("plan", { stored: true }), one("free", { stored: true })]);
    expect(await take()).toMatchObject([{ limit: { max: 2, burst: 20 } }, { limit: TEN }]);
    await store.setLimit(target, { values: undefined, by: "ann" });
    expect(await take()).toMatchObject([{ limit: TEN }, { limit: TEN }]);
  });

  test("that is damaged refuses the requests that ask for it, and no other", async () => {
    const target = { kind: "keyed", name: "api", key: "broken" } as const;
    await store.setLimit(target, { values: { max: 2, windowMs: 60_000, burst: 20 }, by: "ann" });
    const [record = ""] = await redis.keys("dt:*:limit:broken");
    await redis.hset(record, "values", '{"max":2,"windowMs":0.5,"burst":20}');
    expect(await store.take([one("broken", { stored: true }), one("broken"), one("whole")])).toEqual([
      expect.objectContaining({
        code: "DT_STORE_DATA",
        message: expect.stringContaining("the record of a limit holds values"),
      }),
      expect.objectContaining({ granted: 1 }),
      expect.objectContaining({ granted: 1 }),
    ]);
  });
});

describe("in the server", () => {
  test("a key takes a quarter of a kilobyte at most, and all are gone when they mean nothing", async () => {
    const own = openStore({ url: server.url, prefix: "memory", timeout: "50s" });
    const limit = { max: 50, windowMs: 1_000, burst: 10 };
    const before = await redis.dbsize();
    const count = 2_000;
    for (let i = 0; i < count; i += 500)
      await own.take(Array.from({ length: 500 }, (_, j) => one(`tenant-${i + j}`, { limit })));
    const keys = Array.from({ length: 20 }, (_, i) => bucketKey("memory", { name: "api", key: `tenant-${97 * i}` }));
    const sizes = await Promise.all(keys.map((key) => redis.memory("USAGE", key)));
    expect(Math.max(...sizes.map(Number))).toBeLessThanOrEqual(250);
    const lives = await Promise.all(keys.map((key) => redis.pttl(key)));
    // A unit comes back in 20 ms, and then ten seconds.
    expect(Math.max(...lives)).toBeLessThanOrEqual(10_020);
    await until("all are gone", 60_000, async () => (await redis.dbsize()) <= before);
  });

  test("names are listed as they are", async () => {
    const own = openStore({ url: server.url, prefix: "listed" });
    const buckets = ["a", "a:3", "{a}", "}:bucket:", "100%7B", "ü 🚦", "x/y"].flatMap((name) =>
      ["k", "{k}", "}:bucket:k", "k:rows", "*?[x]\\", "ü/🚦"].map((key) => ({ name, key })),
    );
    await own.take(buckets.map((bucket) => one("", bucket)));
    const text = ({ name, key }: BucketRef): string => JSON.stringify([name, key]);
    expect((await listed(own)).map(text).sort()).toEqual(buckets.map(text).sort());
    expect(await own.list()).toMatchObject({ groups: [] });
    expect(await own.listPermits()).toMatchObject({ keys: [] });
    for (const bucket of buckets) expect(await own.inspectBucket(bucket)).toMatchObject({ ...bucket, held: 0 });
  });
});
