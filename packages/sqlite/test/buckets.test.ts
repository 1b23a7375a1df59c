import { DatabaseSync } from "node:sqlite";
import type { BucketRequest } from "@dt/core";
import { MemoryBucketTable, takeUnits } from "@dt/core/ledger";
import { failure } from "@dt-tooling/backends/failure";
import { expect, it } from "vitest";
import { SqliteBucketTable } from "../src/buckets/sqlite-bucket-table.ts";
import { BUSY, Connection } from "../src/connection.ts";
import { Sandbox } from "./support/sandbox.ts";

const sandbox = new Sandbox();
const LIMIT = { max: 5, windowMs: 1_000, burst: 10 };

function taking(key: string, cost: number, request: Partial<BucketRequest> = {}): BucketRequest {
  return { name: "api", key, limit: LIMIT, take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 }, ...request };
}

/** Runs statements on the file from outside. */
function inFile(path: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

function keysIn(path: string): unknown[] {
  return inFile(path, "SELECT key FROM buckets ORDER BY key").map((row) => row["key"]);
}

it("two stores take from one bucket, in one transaction for all requests of a call, each with its own error", async () => {
  const path = sandbox.path();
  const [one, other] = [sandbox.store(path), sandbox.store(path)];
  const answers = await one.take([taking("a", 4), taking("b", 1), taking("a", 4), taking("a", 4)]);
  expect(answers).toMatchObject([{ granted: 4 }, { granted: 1 }, { granted: 4 }, { granted: 0, limitedBy: "rate" }]);
  const others = { ...LIMIT, max: 50 };
  expect(await other.take([taking("a", 1, { limit: others }), taking("b", 9), taking("a", 2)])).toMatchObject([
    { code: "DT_PACE_MISMATCH" },
    { granted: 9 },
    { granted: 2 },
  ]);
  expect(await one.inspectBucket({ name: "api", key: "b" })).toMatchObject({ limit: LIMIT, held: 0 });
  await one.resetBucket({ name: "api", key: "a" });
  expect(keysIn(path)).toEqual(["b"]);
  expect(await other.take([taking("a", 10, { limit: others })])).toMatchObject([{ granted: 10 }]);
});

it("is the arithmetic of core to the last digit, though every operation reads and writes the file", () => {
  const opened = Connection.open(sandbox.path());
  if (opened === BUSY) throw new Error("a new file is locked");
  const reference = new MemoryBucketTable();
  let [clockMs, seq, spent] = [1_800_000_000_000, 0, 0];
  for (let i = 0; i < 500; i++) {
    clockMs += ((i * 7919) % 997) / 3;
    const holds = i % 3 !== 0;
    spent += holds ? i % 2 : 0;
    const request: BucketRequest = {
      ...taking("a", 1 + (i % 3)),
      take: { cost: 1 + (i % 3), maxWaitMs: holds ? 700 : 0, ahead: holds ? i % 5 : 0, aheadWithinMs: 300.5 },
      ...(holds && { hold: { id: `h${i % 4}`, seq: ++seq, spent, keep: i % 4, forMs: 900.25 } }),
      ...(i % 11 === 0 && { hits: { windowMs: 1_000, by: 1 } }),
    };
    const mine = opened.transaction("write", (statements) =>
      takeUnits(new SqliteBucketTable(statements, request), request, clockMs),
    );
    expect(mine).toEqual(takeUnits(reference, request, clockMs));
  }
  opened.close();
});

it("names and keys of any text are told apart, and listed in pages of 100 without a lock", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  const names = Array.from({ length: 101 }, (_, i) => ({ name: i % 2 ? "a/b" : "a", key: `b/c ${i} %ü` }));
  await store.take(names.map((name) => ({ ...taking("", 1), ...name })));
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const first = await store.listBuckets();
  const second = await store.listBuckets(first.next);
  other.exec("ROLLBACK");
  other.close();
  expect([first.buckets.length, second.buckets.length, second.next]).toEqual([100, 1, undefined]);
  const sorted = (list: readonly unknown[]) => list.map((each) => JSON.stringify(each)).sort();
  expect(sorted([...first.buckets, ...second.buckets])).toEqual(sorted(names));
});

it("keys that were used once leave no row behind while others are asked for, and those in use stay", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  const once = Array.from({ length: 3_000 }, (_, i) => taking(`once ${i}`, 1));
  for (let from = 0; from < once.length; from += 1_000) await store.take(once.slice(from, from + 1_000));
  await store.take([taking("used", 1), taking("zz used", 1)]);
  inFile(path, "UPDATE buckets SET keep_until_ms = 1 WHERE key LIKE 'once%'");
  // A bucket whose row was over begins anew, and stays.
  const calls = [taking("used", 1), taking("once 17", 1)];
  for (let i = 0; i < 20; i++) await store.take(calls);
  expect(keysIn(path)).toEqual(["once 17", "used", "zz used"]);
});

it("a row is kept until its bucket is full, and 10 s longer, by the machine's clock", async () => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  const [answer] = await store.take([taking("a", 5)]);
  const [row] = inFile(path, "SELECT keep_until_ms AS untilMs FROM buckets");
  expect(row?.["untilMs"]).toBe((answer as { storeTimeMs: number }).storeTimeMs + 1_000 + 10_000);
});

it.each([
  ["no JSON", "UPDATE buckets SET row = 'hello' WHERE key = 'a'", "something that is not JSON"],
  ["of a newer version", "UPDATE buckets SET row = replace(row, 'f1', 'f2') WHERE key = 'a'", "format version f2"],
  ["kept for ever", "UPDATE buckets SET keep_until_ms = 9e999 WHERE key = 'a'", "keepUntilMs Infinity"],
])("what another program wrote, %s, is refused alone, left as it is, and mended by a reset", async (_, sql, fault) => {
  const path = sandbox.path();
  const store = sandbox.store(path);
  await store.take([taking("a", 1), taking("b", 1)]);
  inFile(path, sql);
  const before = inFile(path, "SELECT * FROM buckets WHERE key = 'a'");
  const [refused, served] = await store.take([taking("a", 1), taking("b", 1)]);
  expect(refused).toMatchObject({ code: "DT_STORE_DATA" });
  expect((refused as Error).message).toContain("the row of bucket api/a in buckets holds");
  expect((refused as Error).message).toContain(fault);
  expect(served).toMatchObject({ granted: 1 });
  expect((await failure(store.inspectBucket({ name: "api", key: "a" }))).code).toBe("DT_STORE_DATA");
  expect(inFile(path, "SELECT * FROM buckets WHERE key = 'a'")).toEqual(before);
  await store.resetBucket({ name: "api", key: "a" });
  expect(await store.take([taking("a", 10)])).toMatchObject([{ granted: 10 }]);
});
