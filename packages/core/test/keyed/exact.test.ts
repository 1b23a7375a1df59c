import { describe, expect, it } from "vitest";
import type { BucketLimit } from "../../src/contract/bucket.ts";
import type { BucketAnswer, BucketRequest } from "../../src/contract/keyed-ledger.ts";
import { takeUnits } from "../../src/keyed/buckets.ts";
import { MemoryBucketTable } from "../../src/keyed/memory-bucket-table.ts";
import type { LimitRecordHead } from "../../src/limits/limit-row.ts";
import { isBucketOver } from "../../src/memory/memory-life.ts";
import { VirtualRuntime } from "../../src/testing/virtual-runtime.ts";

/** A time as near to the end of a unit's time as a process comes. */
const LAST_MS = 1 / 1_024;

/** What happens to the store. */
interface Trouble {
  /** The store's clock is so far behind. It only falls farther behind, and the processes' own clock does not. */
  behindMs: number;
  /** The record that counts for requests with `stored`. */
  head?: LimitRecordHead;
}

/** A store that forgets the bucket as soon as it may. */
class Bucket {
  readonly limit: BucketLimit;
  readonly trouble: Trouble = { behindMs: 0 };
  readonly #table = new MemoryBucketTable();

  constructor(limit: BucketLimit) {
    this.limit = limit;
  }

  take(request: BucketRequest, nowMs: number): BucketAnswer {
    const clockMs = nowMs - this.trouble.behindMs;
    if (isBucketOver(this.#table, clockMs)) this.#table.forget();
    return takeUnits(this.#table, request, clockMs, this.trouble.head);
  }
}

/**
 * A process that takes units ahead, spends them later, reports late, loses requests and replies, and dies. Some spend
 * all that they have in the last moment, and never report it.
 */
class Process {
  readonly #bucket: Bucket;
  readonly #random: () => number;
  readonly #isLate: boolean;
  readonly #stored: boolean;
  #id: string;
  #seq = 0;
  #spent = 0;
  #before: BucketRequest | undefined;
  /** Instants from which a unit in hand may be spent, and until which. */
  #hand: { fromMs: number; untilMs: number }[] = [];

  constructor(bucket: Bucket, random: () => number, stored: boolean) {
    this.#bucket = bucket;
    this.#random = random;
    this.#id = String(random());
    this.#isLate = random() < 0.3;
    this.#stored = stored;
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
    const { limit } = this.#bucket;
    const holds = random() < 0.8;
    const cost = 1 + Math.floor(random() * Math.min(3, limit.burst));
    const maxWaitMs = !holds || random() < 0.5 ? 0 : 2 * limit.windowMs * random();
    const forMs = 1 + Math.floor(random() * 2 * limit.windowMs);
    const keep = holds && random() < 0.7 ? this.#hand.length : 0;
    if (holds) this.#hand = this.#hand.slice(0, keep);
    if (holds) this.#seq += 1;
    const ahead = holds ? Math.floor(random() * 8) : 0;
    const request: BucketRequest = {
      ...{ name: "api", key: "a", limit, stored: this.#stored },
      take: { cost, maxWaitMs, ahead, aheadWithinMs: random() < 0.5 ? 0 : limit.windowMs },
      ...(holds && { hold: { id: this.#id, seq: this.#seq, spent: this.#spent, keep, forMs } }),
    };
    const answer = this.#send(request, nowMs);
    if (!answer || answer.granted === 0) return [];
    const instants = instantsOf(answer, nowMs);
    if (!holds) return instants.map(() => instants.at(-1) as number);
    const untilMs = Math.max(nowMs, instants.at(-1) as number) + forMs;
    this.#hand.push(...instants.map((fromMs) => ({ fromMs, untilMs })));
    return [];
  }

  /** Undefined where the request, or its reply, is lost. A request may come twice, and one of before again. */
  #send(request: BucketRequest, nowMs: number): BucketAnswer | undefined {
    const random = this.#random;
    const before = this.#before;
    this.#before = request;
    if (random() < 0.05) return undefined;
    let answer = this.#bucket.take(request, nowMs);
    if (before && random() < 0.1) this.#bucket.take(before, nowMs);
    if (random() < 0.1) answer = this.#bucket.take(request, nowMs);
    return random() < 0.1 ? undefined : answer;
  }
}

/** The instants of the units, on the processes' clock. */
function instantsOf({ granted, firstMs, everyMs, storeTimeMs }: BucketAnswer, nowMs: number): number[] {
  return Array.from({ length: granted }, (_, n) => nowMs + Math.max(0, firstMs + n * everyMs - storeTimeMs));
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

interface History {
  readonly calls: readonly number[];
  readonly limit: BucketLimit;
}

/** What four processes spend of one bucket in sixty of its windows. */
function history(seed: number, happens: (bucket: Bucket, random: () => number) => void, stored = false): History {
  const runtime = new VirtualRuntime({ seed });
  const random = (): number => runtime.random();
  const windowMs = random() < 0.5 ? 1_000 : 60_000;
  const bucket = new Bucket({ max: 1 + Math.floor(random() * 10), windowMs, burst: 1 + Math.floor(random() * 12) });
  const processes = Array.from({ length: 4 }, () => new Process(bucket, random, stored));
  const calls: number[] = [];
  for (let nowMs = 1e9; nowMs < 1e9 + 60 * windowMs; ) {
    for (const process of processes) calls.push(...process.step(nowMs));
    happens(bucket, random);
    // Now and then a long time, in which what was in hand is over, or all is full again.
    const longest = random() < 0.02 ? 5 : random() < 0.005 ? 20 : 0.06;
    nowMs += 1 + Math.floor(random() * longest * windowMs);
  }
  return { calls, limit: bucket.limit };
}

const SEEDS = Array.from({ length: 100 }, (_, i) => i + 1);

describe("no window has more than the burst and what comes back in it, whatever processes hold, report and lose", () => {
  it("while the store's clock runs evenly", () => {
    let made = 0;
    for (const seed of SEEDS) {
      const { calls, limit } = history(seed, () => undefined);
      made += calls.length;
      expect(worstExcess(calls, limit), `seed ${seed}`).toBeLessThan(0.01);
    }
    expect(made).toBeGreaterThan(5_000);
  });

  it("while the store's clock is set back again and again", () => {
    for (const seed of SEEDS) {
      const { calls, limit } = history(seed, ({ trouble, limit: { windowMs } }, random) => {
        if (random() < 0.02) trouble.behindMs += 2 * windowMs * random();
      });
      expect(worstExcess(calls, limit), `seed ${seed}`).toBeLessThan(0.01);
    }
  });

  it("while the limit is set to others: then with the largest burst and the highest rate of them", () => {
    for (const seed of SEEDS) {
      let [most, burst, revision] = [0, 0, 0];
      const setAnother = ({ trouble, limit }: Bucket, random: () => number): void => {
        if (random() > 0.02) return;
        const values = { ...limit, max: limit.max * (0.3 + random()), burst: 1 + Math.floor(random() * 15) };
        [most, burst] = [Math.max(most, values.max), Math.max(burst, values.burst)];
        trouble.head = { revision: ++revision, values: JSON.stringify(values), untilMs: null };
      };
      const { calls, limit } = history(seed, setAnother, true);
      const largest = { ...limit, max: Math.max(most, limit.max), burst: Math.max(burst, limit.burst) };
      expect(worstExcess(calls, largest), `seed ${seed}`).toBeLessThan(0.01);
    }
  });
});
