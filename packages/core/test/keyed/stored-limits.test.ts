import { describe, expect, it } from "vitest";
import type { BucketLimit } from "../../src/contract/bucket.ts";
import type { BucketAnswer, BucketRequest } from "../../src/contract/keyed-ledger.ts";
import type { LimitTarget } from "../../src/contract/limit-ledger.ts";
import { isDtError } from "../../src/errors/dt-error.ts";
import { takeUnits } from "../../src/keyed/buckets.ts";
import { MemoryBucketTable } from "../../src/keyed/memory-bucket-table.ts";
import { MemoryStore } from "../../src/memory/memory-store.ts";
import { VirtualRuntime } from "../../src/testing/virtual-runtime.ts";

const CODE: BucketLimit = { max: 5, windowMs: 1_000, burst: 10 };
const TARGET: LimitTarget = { kind: "keyed", name: "api", key: "a" };

function scene() {
  const runtime = new VirtualRuntime();
  const store = new MemoryStore({ runtime });
  const ask = async (changes: Partial<BucketRequest> & { readonly cost?: number }): Promise<BucketAnswer> => {
    const { cost, ...others } = changes;
    const take = cost === undefined ? {} : { take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 } };
    const [answer] = await store.take([{ name: "api", key: "a", limit: CODE, stored: true, ...take, ...others }]);
    if (isDtError(answer)) throw answer;
    return answer as BucketAnswer;
  };
  const set = (values: BucketLimit | undefined, forMs?: number) =>
    store.setLimit(TARGET, { values: values && { ...values }, by: "ann", ...(forMs !== undefined && { forMs }) });
  return { runtime, store, ask, set };
}

describe("a bucket with a stored limit", () => {
  it("has the limit that is set from the next request on, and what was spent stays spent", async () => {
    const { ask, set } = scene();
    expect(await ask({ cost: 8 })).toMatchObject({ granted: 8, remaining: 2, limit: CODE });
    const raised = { max: 50, windowMs: 1_000, burst: 20, concurrent: 3 };
    await set(raised);
    expect(await ask({})).toMatchObject({ remaining: 12, everyMs: 20, resetMs: 160, limit: raised });
    await set({ max: 1, windowMs: 1_000, burst: 4 });
    expect(await ask({ cost: 1 })).toMatchObject({ granted: 0, remaining: -4, waitMs: 5_000 });
  });

  it("has the code's limit of the next request when it was removed, and when its time is over", async () => {
    const { runtime, ask, set } = scene();
    await set({ ...CODE, burst: 20 });
    expect(await ask({ cost: 15 })).toMatchObject({ granted: 15, remaining: 5 });
    await set(undefined);
    expect(await ask({})).toMatchObject({ remaining: -5, limit: CODE });
    await set({ ...CODE, burst: 20 }, 1_000);
    expect(await ask({})).toMatchObject({ remaining: 5 });
    await runtime.advance(1_000);
    const other = { ...CODE, burst: 30 };
    expect(await ask({ limit: other })).toMatchObject({ remaining: 20, limit: other });
    expect(await ask({})).toMatchObject({ limit: CODE });
  });

  it("has each request's own limit while none is set, and no mismatch with any other", async () => {
    const { ask } = scene();
    await ask({ cost: 1 });
    const other = { ...CODE, burst: 99 };
    expect(await ask({ limit: other })).toMatchObject({ limit: other, remaining: 98 });
    expect(await ask({})).toMatchObject({ limit: CODE, remaining: 9 });
  });

  it("has numbers that the record does not name from the code", async () => {
    const { ask, set } = scene();
    await set({ max: 6, windowMs: 1_000, burst: 6 });
    expect(await ask({ limit: { ...CODE, concurrent: 2 } })).toMatchObject({ limit: { max: 6, concurrent: 2 } });
  });

  it("grants a cost above the code's burst where the limit in force allows it, and refuses one above that", async () => {
    const { ask, set } = scene();
    await set({ ...CODE, burst: 20 });
    expect(await ask({ cost: 20 })).toMatchObject({ granted: 20 });
    expect(await ask({ cost: 21 })).toMatchObject({ granted: 0, limitedBy: "rate" });
  });

  it("is not read for another key, another name or a request without it", async () => {
    const { ask, set } = scene();
    await set({ ...CODE, burst: 2 });
    expect(await ask({ key: "b" })).toMatchObject({ limit: CODE });
    expect(await ask({ name: "other" })).toMatchObject({ limit: CODE });
    expect(await ask({ stored: false })).toMatchObject({ limit: CODE });
  });

  it("is for a request without `stored` the stricter one of each number", async () => {
    const { ask, set } = scene();
    await set({ max: 50, windowMs: 1_000, burst: 4, concurrent: 7 });
    await ask({});
    const mixed = { max: 5, windowMs: 1_000, burst: 4, concurrent: 7 };
    expect(await ask({ stored: false })).toMatchObject({ limit: mixed });
    expect(await ask({})).toMatchObject({ limit: { max: 50, burst: 4 } });
  });

  it("leaves the others' mismatch as it is: for 10 s from their last request", async () => {
    const { runtime, ask } = scene();
    const other = { ...CODE, max: 6 };
    await ask({ stored: false });
    await ask({ limit: other });
    await expect(ask({ stored: false, limit: other })).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
    await runtime.advance(6_000);
    await ask({});
    await expect(ask({ stored: false, limit: other })).rejects.toThrow("5 in 1000 ms, burst 10");
    // The stricter one of its own and of the copy, which is the other's.
    expect(await ask({ stored: false, limit: other, formerLimit: CODE })).toMatchObject({ limit: CODE });
    await expect(ask({ stored: false, limit: { ...CODE, max: 7 } })).rejects.toMatchObject({
      code: "DT_PACE_MISMATCH",
    });
    await runtime.advance(6_000);
    await ask({});
    await runtime.advance(4_001);
    expect(await ask({ stored: false, limit: { ...CODE, max: 4 } })).toMatchObject({ limit: { max: 4 } });
  });

  it("outlives the bucket", async () => {
    const { store, ask, set } = scene();
    await set({ ...CODE, burst: 2 });
    await ask({});
    await store.resetBucket({ name: "api", key: "a" });
    expect(await ask({})).toMatchObject({ limit: { burst: 2 } });
  });

  it("is no concern of a request that comes twice", async () => {
    const { ask, set } = scene();
    const hold = { id: "p", seq: 1, spent: 0, keep: 0, forMs: 1_000 };
    const first = await ask({ cost: 3, hold });
    await set({ ...CODE, burst: 4 });
    expect(await ask({ cost: 3, hold })).toEqual(first);
    expect(await ask({ cost: 3, hold: { ...hold, seq: 2, keep: 3 } })).toMatchObject({ granted: 0, remaining: 1 });
  });
});

it("a damaged record is this request's error, and changes nothing", () => {
  const table = new MemoryBucketTable();
  const request: BucketRequest = { name: "api", key: "a", limit: CODE, stored: true };
  takeUnits(table, request, 1_000);
  const before = table.row();
  const head = { revision: 3, values: '{"max":"many"}', untilMs: null };
  expect(() => takeUnits(table, request, 2_000, head)).toThrow(expect.objectContaining({ code: "DT_STORE_DATA" }));
  expect(table.row()).toEqual(before);
});

it.each<Partial<BucketRequest>>([{ stored: "yes" as unknown as boolean }, { stored: true, limit: undefined as never }])(
  "a request with %o is refused",
  async (changes) => {
    const request = { name: "api", key: "a", limit: CODE, hits: { windowMs: 1_000, by: 1 }, ...changes };
    await expect(new MemoryStore().take([request])).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
  },
);
