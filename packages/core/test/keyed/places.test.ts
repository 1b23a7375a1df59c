import { expect, it } from "vitest";
import type { BucketRequest } from "../../src/contract/keyed-ledger.ts";
import { takeUnits } from "../../src/keyed/buckets.ts";
import { MemoryBucketTable } from "../../src/keyed/memory-bucket-table.ts";

const LIMIT = { max: 20, windowMs: 1_000, burst: 4 };

/** A process whose callers always wait: it spends all that it has at once, and asks again when it was told to. */
class Waiting {
  spent = 0;
  granted = 0;
  readonly #id: string;
  readonly #cost: number;
  readonly #table: MemoryBucketTable;
  #seq = 0;
  #askAtMs = 0;

  constructor(id: string, cost: number, table: MemoryBucketTable) {
    [this.#id, this.#cost, this.#table] = [id, cost, table];
  }

  at(nowMs: number): void {
    if (nowMs < this.#askAtMs) return;
    this.spent = this.granted;
    const request: BucketRequest = {
      ...{ name: "api", key: "a", limit: LIMIT },
      take: { cost: this.#cost, maxWaitMs: 10_000, ahead: this.#cost === 1 ? 4 : 0, aheadWithinMs: 1_000 },
      hold: { id: this.#id, seq: ++this.#seq, spent: this.spent, keep: 0, forMs: 2_000 },
    };
    const { granted, firstMs, everyMs, waitMs } = takeUnits(this.#table, request, nowMs);
    this.granted += granted;
    this.#askAtMs = granted > 0 ? Math.max(nowMs, firstMs + (granted - 1) * everyMs) : nowMs + waitMs;
  }
}

it.each([1, 3])("a process that waits for %d units gets its turn beside others that take again at once", (cost) => {
  const table = new MemoryBucketTable();
  const processes = [new Waiting("p", 1, table), new Waiting("q", 1, table), new Waiting("r", cost, table)];
  for (let nowMs = 1; nowMs <= 60_000; nowMs++) for (const process of processes) process.at(nowMs);
  const [p = 0, q = 0, r = 0] = processes.map(({ granted }) => granted);
  expect(p + q + r).toBeGreaterThan(1_100);
  // A turn each.
  for (const other of [p, q, r]) expect(other).toBeGreaterThan(200);
});
