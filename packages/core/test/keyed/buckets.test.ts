import { describe, expect, it } from "vitest";
import type { BucketAnswer, BucketHold, BucketRequest } from "../../src/contract/keyed-ledger.ts";
import { isDtError } from "../../src/errors/dt-error.ts";
import { takeUnits } from "../../src/keyed/buckets.ts";
import { inspectBucket } from "../../src/keyed/inspect-bucket.ts";
import { bucketMeansForMs } from "../../src/keyed/meaningful-for.ts";
import { MemoryBucketTable } from "../../src/keyed/memory-bucket-table.ts";
import { decodeBucketRow, encodeBucketRow } from "../../src/ledger/bucket-codec.ts";
import { MemoryStore } from "../../src/memory/memory-store.ts";
import { VirtualRuntime } from "../../src/testing/virtual-runtime.ts";

const LIMIT = { max: 5, windowMs: 1_000, burst: 10 };
const NOW_MS = 1_000_000;

class Bucket {
  readonly table = new MemoryBucketTable();

  take(cost: number, atMs: number, others: Partial<BucketRequest> = {}): BucketAnswer {
    const take = cost > 0 ? { take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 } } : {};
    return takeUnits(this.table, { name: "api", key: "a", limit: LIMIT, ...take, ...others }, NOW_MS + atMs);
  }
}

const hold = (seq: number, changes: Partial<BucketHold> = {}): Pick<BucketRequest, "hold"> => ({
  hold: { id: "p", seq, spent: 0, keep: 1e6, forMs: 2_000, ...changes },
});

describe("a bucket's time", () => {
  it("goes on from where it was when the store's clock goes back (K2)", () => {
    const bucket = new Bucket();
    bucket.take(10, 0);
    expect(bucket.take(0, -60_000)).toMatchObject({ remaining: 0, storeTimeMs: NOW_MS });
    expect(bucket.take(0, -59_800)).toMatchObject({ remaining: 1, storeTimeMs: NOW_MS + 200 });
  });
});

describe("what is in hand", () => {
  it("lasts no longer for many requests than for the last of them", () => {
    const bucket = new Bucket();
    for (let seq = 1; seq <= 5; seq++) bucket.take(1, seq, hold(seq));
    expect(bucket.table.row()?.holds).toMatchObject([{ units: 5, untilMs: NOW_MS + 2_005 }]);
  });

  it("lasts as long as was said at last where it is kept, and longer where that was longer (K5)", () => {
    const bucket = new Bucket();
    bucket.take(2, 0, hold(1));
    bucket.take(0, 10, hold(2, { forMs: 5 }));
    expect(bucket.table.row()?.holds[0]?.untilMs).toBe(NOW_MS + 2_000);
    bucket.take(0, 10, hold(3, { keep: 0, forMs: 5 }));
    expect(bucket.table.row()?.holds[0]?.untilMs).toBe(NOW_MS + 15);
  });

  it("is never more than was taken, however much is kept, nor less for a report of before", () => {
    const bucket = new Bucket();
    bucket.take(4, 0, hold(1));
    expect(bucket.take(0, 0, hold(2, { spent: 3 }))).toMatchObject({ inHand: 1, remaining: 6 });
    expect(bucket.take(0, 0, hold(3, { spent: 1 }))).toMatchObject({ inHand: 1, remaining: 6 });
    expect(bucket.take(0, 0, hold(4, { spent: 99 }))).toMatchObject({ inHand: 0, remaining: 6 });
  });
});

describe("a repeat (K7)", () => {
  it("counts nothing again: neither hits nor slots nor its limit", () => {
    const bucket = new Bucket();
    const request = { ...hold(1), hits: { windowMs: 1_000, by: 1 } };
    bucket.take(3, 0, request);
    const other = { ...LIMIT, concurrent: 1 };
    const again = bucket.take(3, 1, { ...request, limit: other, formerLimit: LIMIT });
    expect(again).toMatchObject({ granted: 3, firstMs: NOW_MS - 1_800, hits: 1, limit: LIMIT, remaining: 7 });
  });

  it("of a refusal is refused for the same reason, also when there would be enough by now", () => {
    const bucket = new Bucket();
    const limit = { ...LIMIT, concurrent: 1 };
    const slot = (id: string) => ({
      take: { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0, slot: { id, forMs: 700 } },
    });
    bucket.take(0, 0, { limit, ...slot("x"), ...hold(1) });
    const refused = { granted: 0, limitedBy: "concurrent", waitMs: 600 };
    expect(bucket.take(0, 100, { limit, ...slot("y"), ...hold(2) })).toMatchObject(refused);
    expect(bucket.take(0, 900, { limit, ...slot("y"), ...hold(2) })).toMatchObject({ ...refused, inFlight: 0 });
    expect(bucket.take(0, 900, { limit, ...slot("y"), ...hold(3) })).toMatchObject({ granted: 1 });
  });
});

describe("a bucket is kept", () => {
  const meansFor = ({ table }: Bucket): number => bucketMeansForMs(table.row() as never);

  it("until it is full, its slots are free and its hits are over, and 10 s more", () => {
    const bucket = new Bucket();
    bucket.take(3, 0);
    expect(meansFor(bucket)).toBe(600 + 10_000);
    bucket.take(0, 0, { hits: { windowMs: 7_000, by: 1 } });
    expect(meansFor(bucket)).toBe(7_000 + 10_000);
  });

  it("until what is in hand has come back, if it is spent at the last moment", () => {
    const bucket = new Bucket();
    bucket.take(3, 0, hold(1));
    expect(meansFor(bucket)).toBe(2_000 + 600 + 10_000);
    expect(inspectBucket(bucket.table, { name: "api", key: "a" }, NOW_MS + 2_599)).toMatchObject({
      resetMs: expect.closeTo(1),
    });
    expect(inspectBucket(bucket.table, { name: "api", key: "a" }, NOW_MS + 2_600)).toBeUndefined();
  });

  it("in memory: a million keys seen once leave nothing behind", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    for (let i = 0; i < 50; i++) {
      const requests = Array.from({ length: 100 }, (_, n) => ({
        ...{ name: "api", key: `${i}-${n}`, limit: LIMIT },
        take: { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 },
      }));
      await store.take(requests);
      await runtime.advance(1_000);
    }
    // Those of the last 11 s, and what the sweep has not come to.
    const names = await pagesOf(store);
    expect(names.length).toBeGreaterThan(1_000);
    expect(names.length).toBeLessThan(2_400);
  });
});

async function pagesOf(store: MemoryStore): Promise<readonly string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listBuckets(cursor);
    keys.push(...page.buckets.map(({ key }) => key));
    cursor = page.next;
  } while (cursor !== undefined);
  return keys;
}

describe("a row", () => {
  const bucket = new Bucket();
  bucket.take(3, 0, { ...hold(1), limit: { ...LIMIT, concurrent: 1 } });
  bucket.take(1, 1, { stored: true, limit: { ...LIMIT, burst: 9 } });
  const slot = { id: "x", forMs: 9 };
  bucket.take(0, 2, { stored: true, take: { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0, slot } });
  const row = { ...bucket.table.row(), former: { ...LIMIT, concurrent: 0 } } as never;

  it("is the same when it is read back, with and without what most have not", () => {
    for (const one of [row, new Bucket().take(1, 0) && { ...(row as object), former: undefined, stored: undefined }])
      expect(decodeBucketRow(JSON.parse(JSON.stringify(encodeBucketRow(one as never))), "here")).toEqual(one);
  });

  type Stored = (null | unknown[])[];
  it.each<[what: string, change: (stored: Stored) => unknown]>([
    ["format version f9", (stored) => ["f9", ...stored.slice(1)]],
    ["no list where a bucket belongs", () => ({})],
    ["8 fields where 9 belong", ([tag, fields, ...others]) => [tag, fields?.slice(1), ...others]],
    ["used -1", (stored) => withField(stored, 1, 6, -1)],
    ["max 5 with windowMs 0", (stored) => withField(stored, 1, 3, 0)],
    ["no list where holds belongs", ([tag, fields, , ...others]) => [tag, fields, null, ...others]],
    ["busy 7", ([tag, fields, , ...others]) => [tag, fields, [["p", 1, 0, 3, 5, 3, 5, 0, 7]], ...others]],
    ['untilMs "late"', ([tag, fields, holds, , ...others]) => [tag, fields, holds, [["x", "late"]], ...others]],
    ["max 0 with", (stored) => withField(stored, 4, 0, 0)],
    ["revision 0.5", (stored) => withField(stored, 5, 0, 0.5)],
    ["burst null", (stored) => withField(stored, 6, 2, null)],
  ])("is refused with the remedy when it holds %s", (what, change) => {
    const stored = JSON.parse(JSON.stringify(encodeBucketRow(row))) as Stored;
    const read = () => decodeBucketRow(change(stored), "key x");
    expect(read).toThrow(what);
    expect(read).toThrow(expect.objectContaining({ code: "DT_STORE_DATA" }));
    expect(read).toThrow("resetBucket");
  });
});

function withField(stored: (null | unknown[])[], place: number, field: number, value: unknown): unknown {
  const copy = structuredClone(stored);
  (copy[place] as unknown[])[field] = value;
  return copy;
}

it("a call's requests are served one by one, and a request's own error is its own (K1)", async () => {
  const store = new MemoryStore();
  const ask = (key: string, limit = LIMIT): BucketRequest => ({
    ...{ name: "api", key, limit },
    take: { cost: 6, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 },
  });
  const answers = await store.take([ask("a"), ask("b"), ask("a", { ...LIMIT, max: 6 }), ask("a"), ask("c")]);
  expect(answers.map((answer) => (isDtError(answer) ? answer.code : (answer as BucketAnswer).granted))).toEqual([
    ...[6, 6, "DT_PACE_MISMATCH", 0, 6],
  ]);
});
