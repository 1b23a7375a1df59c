import { describe, expect, it } from "vitest";
import { createPacer, MemoryStore, type Pacer } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyLedger } from "../support/faulty-ledger.ts";

const EVERY_MS = 50;
const RUN_MS = 30_000;
/** Local times are sums of others. */
const ROUNDING_MS = 0.01;

/** Four processes over links of random length, whose callers come, give up, and pause the fleet now and then. */
class Fleet {
  readonly runtime: VirtualRuntime;
  readonly pacers: readonly Pacer[];
  readonly links: readonly FaultyLedger[];
  /** What was found wrong. */
  readonly faults: string[] = [];
  pauses = 0;
  settled = 0;
  asked = 0;

  constructor(seed: number) {
    this.runtime = new VirtualRuntime({ seed, startMs: 1_000_000 });
    const store = new MemoryStore({ runtime: this.runtime });
    const maxReserved = this.#pick(0, 3, 40);
    this.links = Array.from({ length: 4 }, () => new FaultyLedger(store, this.runtime));
    this.pacers = this.links.map((link, i) => this.#member(link, maxReserved, i));
  }

  #member(link: FaultyLedger, maxReserved: number, index: number): Pacer {
    const { runtime } = this;
    [link.thereMs, link.backMs] = [this.#pick(0, 1, 20), this.#pick(0, 1, 20)];
    const pacer = createPacer({ name: "k", every: EVERY_MS, maxReserved, store: link, runtime, permitTtl: "5s" });
    let pausedUntilMs = Number.NEGATIVE_INFINITY;
    pacer.on("paused", ({ forMs }) => {
      pausedUntilMs = Math.max(pausedUntilMs, runtime.now() + forMs);
      this.pauses += 1;
    });
    pacer.on("grant", () => {
      const nowMs = runtime.now();
      if (nowMs < pausedUntilMs - ROUNDING_MS) this.faults.push(`${index} at ${nowMs}, paused until ${pausedUntilMs}`);
    });
    return pacer;
  }

  #pick<T>(...values: readonly T[]): T {
    return values[Math.floor(this.runtime.random() * values.length)] as T;
  }

  #come(pacer: Pacer): void {
    const controller = new AbortController();
    const timeout = this.#pick(undefined, undefined, 0, 300, 2_000);
    this.asked += 1;
    const settle = (): void => {
      this.settled += 1;
    };
    pacer.acquire(this.#pick(1, 1, 1, 2), { timeout, signal: controller.signal }).then(settle, settle);
    if (this.runtime.random() < 0.1) this.runtime.setTimer(() => controller.abort(), this.#pick(1, 100, 1_000));
  }

  async run(): Promise<void> {
    const endMs = this.runtime.now() + RUN_MS;
    while (this.runtime.now() < endMs) {
      await this.runtime.advance(this.#pick(1, 7, 40, 100));
      const pacer = this.#pick(...this.pacers);
      if (this.runtime.random() < 0.02) pacer.pauseUntil(`${this.#pick(5, 120, 900, 3_000)}ms`);
      else if (this.runtime.random() < 0.7) this.#come(pacer);
      const link = this.#pick(...this.links);
      if (this.runtime.random() < 0.01) link.fault = this.#pick("loseCalls", "loseReplies", "none", "none");
    }
    for (const link of this.links) link.fault = "none";
    await this.runtime.advance(120_000);
  }
}

describe("a fleet of pacers that is paused now and then", () => {
  it.each(Array.from({ length: 30 }, (_, i) => i + 1))(
    "uses nothing before the end of a pause that it knows of, and settles every caller, seed %i",
    async (seed) => {
      const fleet = new Fleet(seed);
      await fleet.run();
      expect(fleet.faults).toEqual([]);
      expect(fleet.pauses).toBeGreaterThan(0);
      expect(fleet.settled).toBe(fleet.asked);
      await Promise.all(fleet.pacers.map((pacer) => pacer.stop()));
      await fleet.runtime.advance(5_000);
      expect(fleet.runtime.pendingTimers).toBe(0);
    },
  );
});
