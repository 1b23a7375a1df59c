import { type BucketDocument, decodeBucket, encodeBucket } from "@dt/cas";
import { type BucketRequest, isDtError } from "@dt/core";
import { MemoryBucketTable, takeUnits } from "@dt/core/ledger";
import { describe, expect, it } from "vitest";
import { BUCKET_KIND } from "../../src/buckets/bucket-kind.ts";

const use = { by: "c".repeat(20), sharedMs: null, reservedMs: 1.7e12, gapMs: 500 };
const LIMIT = { max: 5, windowMs: 1_000, burst: 5_000 };

function documentWith(holds: number, more: Partial<BucketRequest> = {}): BucketDocument {
  const table = new MemoryBucketTable();
  const take = { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
  takeUnits(table, { name: "api", key: "a", limit: LIMIT, take, ...more }, 1.7e12 + 0.125);
  for (let i = 0; i < holds; i++) {
    const hold = { id: String(i).padStart(20, "0"), seq: 1, spent: 0, keep: 0, forMs: 2_000 };
    takeUnits(table, { name: "api", key: "a", limit: LIMIT, take, hold, ...more }, 1.7e12 + 0.125);
  }
  return { table, renewedMs: 0, use };
}

function refusal(act: () => unknown): { readonly code: unknown; readonly message: string } {
  try {
    act();
  } catch (error) {
    if (isDtError(error)) return error;
  }
  throw new Error("it was accepted");
}

describe("a bucket in one value", () => {
  it("is the arithmetic of core to the last digit, though every operation reads and writes it anew", () => {
    const reference = new MemoryBucketTable();
    let [text, clockMs, seq, spent] = ["", 1e6, 0, 0];
    for (let i = 0; i < 1_000; i++) {
      clockMs += ((i * 7919) % 997) / 3;
      const holds = i % 3 !== 0;
      spent += holds ? i % 2 : 0;
      const request: BucketRequest = {
        ...{ name: "api", key: "a", limit: { max: 5, windowMs: 1_000, burst: 10 }, stored: i % 7 === 0 },
        take: { cost: 1 + (i % 3), maxWaitMs: holds ? 700 : 0, ahead: holds ? i % 5 : 0, aheadWithinMs: 300.5 },
        ...(holds && { hold: { id: `h${i % 4}`, seq: ++seq, spent, keep: i % 4, forMs: 900.25 } }),
        ...(i % 11 === 0 && { hits: { windowMs: 1_000, by: 1 } }),
      };
      const values = JSON.stringify({ max: 3 + (i % 5), windowMs: 1_000, burst: 8 });
      const head = { revision: 1 + Math.floor(i / 100), values, untilMs: null };
      const table = text === "" ? new MemoryBucketTable() : decodeBucket(text, "here").table;
      expect(takeUnits(table, request, clockMs, head)).toEqual(takeUnits(reference, request, clockMs, head));
      text = encodeBucket({ table, renewedMs: 0, use });
      expect(encodeBucket(decodeBucket(text, "here"))).toBe(text);
    }
  });

  it("is rounded no more for what records its time between requests", () => {
    const [quiet, renewed] = [documentWith(1), documentWith(1)];
    for (const nowMs of [1.7e12 + 3.001, 1.7e12 + 77.7]) BUCKET_KIND.renew(renewed, nowMs);
    expect(BUCKET_KIND.lastMs(renewed)).toBe(1.7e12 + 77.7);
    expect(BUCKET_KIND.meansForMs(renewed)).toBeCloseTo(BUCKET_KIND.meansForMs(quiet) - 77.6, 0);
    const request = { name: "api", key: "a", limit: LIMIT };
    const [one, other] = [quiet, renewed].map((document) => {
      return BUCKET_KIND.apply(decodeBucket(encodeBucket(document), "here"), request, 1.7e12 + 199.9, undefined);
    });
    expect(one).toEqual(other);
  });

  it("takes less than 200 bytes, and less than 90 for each process that holds units", () => {
    expect(encodeBucket(documentWith(0)).length).toBeLessThan(200);
    const [few, many] = [documentWith(1), documentWith(101)];
    expect((encodeBucket(many).length - encodeBucket(few).length) / 100).toBeLessThan(90);
  });

  it("is refused with the remedy when it would not fit", () => {
    const { code, message } = refusal(() => encodeBucket(documentWith(4_500)));
    expect(code).toBe("DT_STORE_UNAVAILABLE");
    expect(message).toContain("use fewer processes for one key");
  });

  it("is refused with the place when it is something else", () => {
    const good = JSON.parse(encodeBucket(documentWith(1)));
    for (const [what, broken] of [
      ["format version f2", { ...good, v: "f2" }],
      ["no list where a bucket belongs", { ...good, row: null }],
      ["lastMs", { ...good, row: [good.row[0], [-1, ...good.row[1].slice(1)], ...good.row.slice(2)] }],
      ["by", { ...good, use: ["", null, 0, 0, 0] }],
    ] as const) {
      const { code, message } = refusal(() => decodeBucket(JSON.stringify(broken), "key x"));
      expect(code, what).toBe("DT_STORE_DATA");
      expect(message).toMatch(/^key x holds /);
      expect(message).toContain(what);
      expect(message).toContain("resetBucket");
    }
    for (const text of ["", "[]", "null", "{"])
      expect(refusal(() => decodeBucket(text, "key x")).code).toBe("DT_STORE_DATA");
  });
});
