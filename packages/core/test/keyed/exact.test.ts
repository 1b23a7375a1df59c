import { describe, expect, it } from "vitest";
import type { BucketLimit } from "../../src/contract/bucket.ts";
import type { BucketAnswer, BucketRequest } from "../../src/contract/keyed-ledger.ts";
import { takeUnits } from "../../src/keyed/buckets.ts";
import { MemoryBucketTable } from "../../src/keyed/memory-bucket-table.ts";
import { VirtualRuntime } from "../../src/testing/virtual-runtime.ts";

/** A time as near to the end of a unit's time as a process comes. */
const LAST_MS = 1 / 1_024;

/**
 * A process that takes units ahead, spends them later, reports late, loses replies, and dies. Some spend all that they
 * have in the last moment, and never report it.
 */
class Process {
  readonly #isLate: boolean;
  readonly #table: MemoryBucketTable;
  readonly #limit: BucketLimit;
  readonly #random: () => number;
  #id: string;
  #seq = 0;
  #spent = 0;
  /** Instants from which a unit in hand may be spent, and until which. */
  #hand: { fromMs: number; untilMs: number }[] = [];

  constructor(table: MemoryBucketTable, limit: BucketLimit, random: () => number) {
    this.#table = table;
    this.#limit = limit;
    this.#random = random;
    this.#id = String(random());
    this.#isLate = random() < 0.3;
  }

  /** The times at which it spends something from now on until the next step. */
  step(nowMs: number): number[] {
    const random = this.#random;
    const late = this.#isLate ? this.#hand.map(({ fromMs, untilMs }) => Math.max(fromMs, untilMs - LAST_MS)) : [];
    if (random() < 0.02 || this.#isLate) [this.#id, this.#seq, this.#spent, this.#hand] = [String(random()), 0, 0, []];
    this.#hand = this.#hand.filter(({ untilMs }) => untilMs > nowMs);
    const spends = this.#hand.filter(({ fromMs }) => fromMs <= nowMs && random() < 0.3);
    this.#hand = this.#hand.filter((unit) => !spends.includes(unit));
    this.#spent += spends.length;
    const calls = [...late, ...spends.map(() => nowMs)];
    if (random() < 0.4) calls.push(...this.#ask(nowMs));
    return calls;
  }

  #ask(nowMs: number): number[] {
    const random = this.#random;
    const holds = random() < 0.8;
    const cost = 1 + Math.floor(random() * Math.min(3, this.#limit.burst));
    const maxWaitMs = !holds || random() < 0.5 ? 0 : 2_000 * random();
    const forMs = 1 + Math.floor(random() * 2_000);
    const keep = holds && random() < 0.7 ? this.#hand.length : 0;
    if (holds) this.#hand = this.#hand.slice(0, keep);
    if (holds) this.#seq += 1;
    const request: BucketRequest = {
      ...{ name: "api", key: "a", limit: this.#limit },
      take: { cost, maxWaitMs, ahead: holds ? Math.floor(random() * 8) : 0, aheadWithinMs: random() < 0.5 ? 0 : 1_000 },
      ...(holds && { hold: { id: this.#id, seq: this.#seq, spent: this.#spent, keep, forMs } }),
    };
    const answer = takeUnits(this.#table, request, nowMs);
    if (random() < 0.1) takeUnits(this.#table, request, nowMs);
    const lost = random() < 0.1;
    if (lost || answer.granted === 0) return [];
    const instants = instantsOf(answer);
    if (!holds) return instants.map(() => instants.at(-1) as number);
    this.#hand.push(
      ...instants.map((fromMs) => ({ fromMs, untilMs: Math.max(nowMs, instants.at(-1) as number) + forMs })),
    );
    return [];
  }
}

function instantsOf({ granted, firstMs, everyMs, storeTimeMs }: BucketAnswer): number[] {
  return Array.from({ length: granted }, (_, n) => Math.max(storeTimeMs, firstMs + n * everyMs));
}

/** By how many units the fullest window is over what a bucket gives: burst and what comes back in the window. */
function worstExcess(calls: readonly number[], { max, windowMs, burst }: BucketLimit): number {
  const sorted = calls.toSorted((a, b) => a - b);
  let worst = Number.NEGATIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, atMs] of sorted.entries()) {
    least = Math.min(least, index - (atMs * max) / windowMs);
    worst = Math.max(worst, index + 1 - (atMs * max) / windowMs - least - burst);
  }
  return worst;
}

describe("buckets", () => {
  it("no window has more than the burst and what comes back in it, whatever processes hold, report and lose", () => {
    let made = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const runtime = new VirtualRuntime({ seed });
      const random = (): number => runtime.random();
      const limit = { max: 1 + Math.floor(random() * 10), windowMs: 1_000, burst: 1 + Math.floor(random() * 12) };
      const table = new MemoryBucketTable();
      const processes = Array.from({ length: 4 }, () => new Process(table, limit, random));
      const calls: number[] = [];
      for (let nowMs = 0; nowMs < 60_000; nowMs += 1 + Math.floor(random() * (random() < 0.02 ? 5_000 : 60)))
        for (const process of processes) calls.push(...process.step(nowMs));
      made += calls.length;
      expect(worstExcess(calls, limit), `seed ${seed}`).toBeLessThan(0.01);
    }
    expect(made).toBeGreaterThan(5_000);
  });
});
