import type { BucketAnswer } from "@dt/core";
import { describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { AMPLE, one, TEN } from "./support/bucket-requests.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";
import { TestClock } from "./support/test-clock.ts";

useOwnServer({ config: { fsync: "off", autovacuum: "off" } });

const NOW_MS = 1_800_000_000_000;
const SECOND = { max: 10, windowMs: 1_000, burst: 10 };

async function onTestClock(store: PostgresStore): Promise<TestClock> {
  await store.take([one("first", AMPLE)]);
  await store.resetBucket({ name: "api", key: "first" });
  const clock = await TestClock.install(admin, schema);
  await clock.set(NOW_MS);
  return clock;
}

const rows = (): Promise<number> => admin.number(`SELECT count(*) FROM ${schema}.dt_bucket`);
const keptMs = async (key: string): Promise<number> =>
  (await admin.number(`SELECT keep_until_ms FROM ${schema}.dt_bucket WHERE key = '${key}'`)) - NOW_MS;

describe("a bucket", () => {
  test("is kept for as long as it means something, and ten seconds more", async () => {
    const store = openPatientStore();
    await onTestClock(store);
    const hold = { id: "p", seq: 1, spent: 0, keep: 0, forMs: 30_000 };
    await store.take([
      one("a unit", SECOND),
      one("in hand", SECOND, { hold }),
      { name: "api", key: "hits", hits: { windowMs: 60_000, by: 1 } },
      one(
        "slot",
        { ...SECOND, concurrent: 1 },
        {
          take: { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0, slot: { id: "s", forMs: 5_000 } },
        },
      ),
    ]);
    expect(await keptMs("a unit")).toBe(10_100);
    expect(await keptMs("in hand")).toBe(40_100);
    expect(await keptMs("hits")).toBe(70_000);
    expect(await keptMs("slot")).toBe(15_000);
  });

  test("in use has its time moved on seldom, so that updates stay in their page", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    const kept = new Set<number>();
    for (let i = 0; i < 200; i++) {
      await clock.set(NOW_MS + i * 100);
      await store.take([one("k", SECOND)]);
      kept.add(await keptMs("k"));
    }
    expect(kept.size).toBe(2);
    expect(await admin.number(`SELECT pg_relation_size('${schema}.dt_bucket') / 8192`)).toBe(1);
  });

  test("is kept by the server's clock, also when its time is a day ahead since that clock went back", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    await clock.set(NOW_MS + 86_400_000);
    await store.take([one("k", SECOND)]);
    await clock.set(NOW_MS);
    await store.resetBucket({ name: "api", key: "other" });
    await admin.run(`UPDATE ${schema}.dt_bucket SET keep_until_ms = 0`);
    await store.take([one("k", SECOND)]);
    expect(await keptMs("k")).toBeLessThan(31_000);
  });
});

describe("buckets that mean nothing any more", () => {
  test("are removed by the calls that come later, 500 at a time, and the others stay", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    await store.take([one("used", TEN)]);
    for (let i = 0; i < 3; i++) await store.take(Array.from({ length: 500 }, (_, n) => one(`once ${i} ${n}`, SECOND)));
    expect(await rows()).toBe(1_501);
    await clock.set(NOW_MS + 10_101);
    await store.take([one("later", TEN)]);
    expect(await rows()).toBe(1_002);
    await store.take([one("later", TEN)]);
    await store.take([one("later", TEN)]);
    expect(await rows()).toBe(2);
    expect(((await store.take([one("used", TEN)]))[0] as BucketAnswer).remaining).toBeCloseTo(8.17, 2);
  });

  test("are passed over while another call has them, and removed a minute later", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    await store.take(["a", "b", "c"].map((key) => one(key, SECOND)));
    await clock.set(NOW_MS + 10_101);
    {
      await using _held = await admin.hold(`SELECT * FROM ${schema}.dt_bucket WHERE key = 'b' FOR UPDATE`);
      await store.take([one("used", TEN)]);
      expect(await rows()).toBe(2);
    }
    for (const [ms, left] of [
      [11_200, 2],
      [70_102, 1],
    ] as const) {
      await clock.set(NOW_MS + ms);
      await store.take([one("used", TEN)]);
      expect(await rows()).toBe(left);
    }
  });

  test("are looked for once a second at most, and again when the server's clock goes back", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    const swept = (): Promise<number> => admin.number(`SELECT writes FROM ${schema}.dt_bucket_sweep`);
    await store.take([one("used", TEN)]);
    const before = await swept();
    for (let i = 0; i < 20; i++) await store.take([one("used", TEN)]);
    await clock.set(NOW_MS + 999);
    await store.take([one("used", TEN)]);
    expect(await swept()).toBe(before);
    await clock.set(NOW_MS + 1_000);
    await store.take([one("used", TEN)]);
    expect(await swept()).toBe(before + 1);
    await clock.set(NOW_MS - 86_400_000);
    await store.take([one("used", TEN)]);
    expect(await swept()).toBe(before + 2);
  });

  test("cost later calls no more pages while an old transaction is open", { timeout: 60_000 }, async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    await store.take([one("used", TEN)]);
    await using _held = await admin.hold(
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1",
    );
    for (let i = 0; i < 5; i++)
      await store.take(Array.from({ length: 1_000 }, (_, n) => one(`once ${i} ${n}`, SECOND)));
    await clock.set(NOW_MS + 10_101);
    for (let i = 0; i < 700; i++) await store.take([one("used", TEN)]);
    expect(await rows()).toBe(1);
    const call = `SELECT * FROM ${schema}.dt_take('[{"place":1,"name":"api","key":"used","max":1,"window_ms":60000,"burst":10,"concurrent":0}]', 1000)`;
    const counts: number[] = [];
    for (let i = 1; i <= 15; i++) {
      // Each looks for what may be removed.
      await clock.set(NOW_MS + 10_101 + i * 1_001);
      const [row] = await admin.rows(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${call}`);
      const [{ Plan: plan }] = (row as { "QUERY PLAN": [{ Plan: Record<string, number> }] })["QUERY PLAN"];
      counts.push((plan["Shared Hit Blocks"] as number) + (plan["Shared Read Blocks"] as number));
    }
    expect(counts.sort((a, b) => a - b)[7]).toBeLessThan(100);
  });

  test("are removed also after both tables were emptied", async () => {
    const store = openPatientStore();
    const clock = await onTestClock(store);
    await admin.run(`TRUNCATE ${schema}.dt_bucket, ${schema}.dt_bucket_sweep`);
    await store.take([one("once", SECOND)]);
    await clock.set(NOW_MS + 20_000);
    for (let i = 0; i < 2; i++) await store.take([one("used", TEN)]);
    expect(await rows()).toBe(1);
  });
});
