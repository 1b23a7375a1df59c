import { type BucketAnswer, type BucketRequest, DtError } from "@dt/core";
import { failure } from "@dt-tooling/backends/failure";
import { Random } from "@dt-tooling/simulator/random";
import { beforeEach, describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { AMPLE, one, TEN } from "./support/bucket-requests.ts";
import { commitModes } from "./support/commit-modes.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";

useOwnServer({ config: { shared_preload_libraries: "pg_stat_statements", deadlock_timeout: "100ms" } });

beforeEach(() => admin.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements"));

async function granted(store: PostgresStore, requests: readonly BucketRequest[]): Promise<number[]> {
  return (await store.take(requests)).map((answer) => (answer as BucketAnswer).granted);
}

describe("a batch", () => {
  test("is one statement, whatever it asks for; the store sends no other", async () => {
    const store = openPatientStore();
    await store.take([one("warm", TEN)]);
    await admin.rows("SELECT pg_stat_statements_reset()");
    const hold = { id: "p", seq: 1, spent: 0, keep: 0, forMs: 1_000 };
    await store.take([
      ...Array.from({ length: 1_000 - 1 }, (_, i) => one(`tenant ${i}`, TEN)),
      one("all", { ...TEN, concurrent: 5 }, { hold, renew: ["a"], release: ["b"], hits: { windowMs: 1_000, by: 1 } }),
    ]);
    const sent = await admin.rows(
      "SELECT sum(calls)::int AS calls, max(query) AS query FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'",
    );
    expect(sent).toEqual([{ calls: 1, query: expect.stringContaining(`FROM "${schema}".dt_take(`) }]);
    expect(await admin.number(`SELECT count(*) FROM ${schema}.dt_bucket`)).toBe(1_001);
  });

  test("is answered in the order of its requests, those of one bucket one after the other", async () => {
    const store = openPatientStore();
    const keys = ["z", "a", "z", "m", "a", "z"];
    const answers = (await store.take(keys.map((key) => one(key, TEN)))) as BucketAnswer[];
    expect(answers.map(({ remaining }) => Math.round(remaining))).toEqual([9, 9, 8, 9, 8, 7]);
  });

  test("has the error of a refused request and of a damaged row in their places, and serves the others", async () => {
    const store = openPatientStore();
    await store.take(["a", "b", "c"].map((key) => one(key, TEN)));
    await admin.run(`UPDATE ${schema}.dt_bucket SET used = 'NaN' WHERE key = 'b'`);
    const [a, b, c] = await store.take([one("a", AMPLE), one("b", TEN), one("c", TEN)]);
    expect(a).toMatchObject({
      code: "DT_PACE_MISMATCH",
      message: expect.stringContaining(
        '"1 in 60000 ms, burst 10, concurrent 0", and this request asks for "1000000000 in 1000 ms',
      ),
    });
    expect(b).toMatchObject({
      code: "DT_STORE_DATA",
      message: expect.stringMatching(/row of bucket api\/b in dt_bucket holds .*used NaN.*call resetBucket/),
    });
    expect(c).toMatchObject({ granted: 1, limit: TEN });
    await store.resetBucket({ name: "api", key: "b" });
    expect(await granted(store, [one("b", TEN)])).toEqual([1]);
  });
});

describe("at the same time", () => {
  test("forty stores take what there is of ten buckets, and no unit more", async () => {
    const some = Array.from({ length: 40 }, () => openPatientStore());
    const requests = Array.from({ length: 10 }, (_, i) => one(`k${i}`, TEN));
    const all = await Promise.all(some.map((store) => granted(store, requests)));
    for (const place of requests.keys())
      expect(all.reduce((sum, grants) => sum + (grants[place] as number), 0)).toBe(10);
  });

  test("overlapping batches in any order, with keys that are new and keys that were swept, never deadlock", {
    timeout: 120_000,
  }, async () => {
    const random = new Random(7);
    const some = Array.from({ length: 12 }, () => openPatientStore({ timeout: "60s" }));
    const asked = new Map<string, number>();
    const given = new Map<string, number>();
    const use = async (store: PostgresStore): Promise<void> => {
      for (let round = 0; round < 25; round++) {
        const keys = random.shuffled(Array.from({ length: 60 }, (_, i) => `${round % 5} ${i}`)).slice(0, 40);
        const batch = keys.map((key) => one(key, AMPLE));
        for (const key of keys) asked.set(key, (asked.get(key) ?? 0) + 1);
        const answers = await granted(store, batch);
        for (const [i, key] of keys.entries()) given.set(key, (given.get(key) ?? 0) + (answers[i] as number));
        // What any call may remove now, in the order of times and not of names. One row for each statement: this one
        // has no order.
        if (random.chance(0.3)) await admin.run(`UPDATE ${schema}.dt_bucket_sweep SET next_ms = 0, anew_ms = 0`);
        for (const key of keys.slice(0, 5))
          await admin.rows(`UPDATE ${schema}.dt_bucket SET keep_until_ms = random() WHERE key = $1`, [key]);
      }
    };
    await Promise.all(some.map(use));
    expect(given).toEqual(asked);
    const deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    expect(await admin.number(deadlocks)).toBe(0);
  });
});

describe("names", () => {
  test("of limits and keys are apart from each other, and any text", async () => {
    const store = openPatientStore();
    const names = [
      "b",
      "b ",
      "B",
      "a/b",
      "%2F",
      "'; DROP TABLE x; --",
      "\\",
      "$$",
      "{}",
      "ünï 🚦",
      "\r\n\t",
      "x".repeat(1_024),
    ];
    for (const [i, name] of names.entries()) {
      const requests = names.map((key) => ({ ...one(key, TEN), name }));
      expect((await granted(store, requests)).every((grant) => grant === 1)).toBe(true);
      const used = { name, key: names[i] as string };
      expect(await store.inspectBucket(used)).toMatchObject({ ...used, limit: TEN, held: 0 });
    }
  });

  test("come in pages of 100, each once, in any order", async () => {
    const store = openPatientStore();
    const refs = ["a", "b/c", "ä"].flatMap((name) =>
      Array.from({ length: 84 }, (_, i) => ({ name, key: i < 4 ? `${name}/${i}` : `${i}` })),
    );
    await store.take(refs.map((ref) => ({ ...one("", TEN), ...ref })));
    const first = await store.listBuckets();
    const second = await store.listBuckets(first.next);
    const third = await store.listBuckets(second.next);
    expect([first, second, third].map(({ buckets }) => buckets.length)).toEqual([100, 100, 52]);
    expect(third.next).toBeUndefined();
    const text = ({ name, key }: { name: string; key: string }): string => JSON.stringify([name, key]);
    const listed = [first, second, third].flatMap(({ buckets }) => buckets.map(text));
    expect(listed.sort()).toEqual(refs.map(text).sort());
  });
});

describe("a call", () => {
  test("is refused at the door when what it is given is malformed", async () => {
    const store = openPatientStore();
    for (const call of [
      store.take([]),
      store.take([one("", TEN)]),
      store.take([one("k\0", TEN)]),
      store.resetBucket({ name: "", key: "k" }),
      store.inspectBucket({ name: "api", key: "" }),
    ])
      expect(await failure(call)).toMatchObject({ code: "DT_INVALID_OPTION" });
  });

  test("is refused, without effect, while others have a bucket of it for most of its time", async () => {
    const store = openPatientStore({ timeout: "1s" });
    await openPatientStore().take(["a", "b", "c"].map((key) => one(key, TEN)));
    await using _held = await admin.hold(`SELECT * FROM ${schema}.dt_bucket WHERE key > 'a' FOR UPDATE`);
    for (const call of [
      () => store.take(["a", "b", "c"].map((key) => one(key, TEN))),
      () => store.resetBucket({ name: "api", key: "b" }),
    ])
      expect(await failure(call())).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "definite" });
    expect(await store.inspectBucket({ name: "api", key: "a" })).toMatchObject({ remaining: expect.closeTo(9, 1) });
  });

  test("that grants, keeps units or slots, or counts hits waits for the disk; a refusal and a look do not", async () => {
    const store = openPatientStore();
    await store.take([one("k", TEN)]);
    const modes = (request: BucketRequest): Promise<unknown[]> =>
      commitModes(admin, schema, () => store.take([request]), "dt_bucket");
    const hold = { id: "p", seq: 1, spent: 0, keep: 0, forMs: 60_000 };
    const look: BucketRequest = { name: "api", key: "k", limit: TEN };
    expect(await modes(one("k", TEN))).toEqual(["on"]);
    expect(await modes(one("k", TEN, { hold }))).toEqual(["on"]);
    expect(await modes({ ...look, hold: { ...hold, seq: 2, keep: 1 } })).toEqual(["on"]);
    expect(await modes({ ...look, hold: { ...hold, seq: 3, keep: 0 } })).toEqual(["off"]);
    expect(await modes({ ...look, renew: ["s"] })).toEqual(["on"]);
    expect(await modes({ ...look, release: ["s"] })).toEqual(["off"]);
    expect(await modes({ ...look, hits: { windowMs: 1_000, by: 1 } })).toEqual(["on"]);
    expect(await modes({ ...look, hits: { windowMs: 1_000, by: -1 } })).toEqual(["off"]);
    expect(await modes(look)).toEqual(["off"]);
    const [all] = await store.take([{ ...look, take: { cost: 10, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 } }]);
    expect(all).not.toBeInstanceOf(DtError);
    expect(all).toMatchObject({ granted: 0 });
  });
});
