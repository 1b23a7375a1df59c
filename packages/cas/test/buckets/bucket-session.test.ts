import { BucketSession, LONGEST_LEAD_MS } from "@dt/cas";
import type { BucketAnswer, BucketRequest, Runtime } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { hostRuntime, ModelStore } from "../timed-document/model-cell.ts";
import { soon } from "../timed-document/soon.ts";

const { signal } = new AbortController();
const LIMIT = { max: 5, windowMs: 1_000, burst: 10 };

/** A process with a clock of its own. */
class Worker {
  readonly session: BucketSession;
  readonly #world: VirtualRuntime;
  /** When a unit was spent, in true time. */
  readonly spentMs: number[] = [];

  constructor(store: ModelStore, name: string, runtime: Runtime = store.runtime) {
    this.#world = store.runtime;
    this.session = new BucketSession(store.cell(), store.limit.cell(), { runtime, timeoutMs: 1_000, client: name });
  }

  ask(request: Partial<BucketRequest> = {}, over: AbortSignal = signal): Promise<BucketAnswer> {
    return this.session.take({ name: "api", key: "a", limit: LIMIT, ...request }, over);
  }

  async take(cost = 1, over: AbortSignal = signal): Promise<BucketAnswer> {
    const answer = await this.ask({ take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 } }, over);
    for (let unit = 0; unit < answer.granted; unit++) this.spentMs.push(this.#world.now());
    return answer;
  }
}

function world(latencyMs = 4, seed = 1): { readonly runtime: VirtualRuntime; readonly store: ModelStore } {
  const runtime = new VirtualRuntime({ seed, startMs: 1_000 });
  return { runtime, store: new ModelStore(runtime, latencyMs) };
}

describe("one process", () => {
  it("makes one round trip for each call after the first, and one write for calls that come together", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.take());
    for (let i = 0; i < 4; i++) await soon(runtime, worker.take());
    expect([store.reads, store.writes]).toEqual([1, 5]);
    const together = await soon(runtime, Promise.all(Array.from({ length: 20 }, () => worker.take())));
    expect(together.filter(({ granted }) => granted === 1)).toHaveLength(5);
    expect(store.writes).toBe(7);
  });

  it("records the time once when the bucket is full again, and then does nothing more", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.take(3));
    expect(worker.session.isIdle).toBe(false);
    await runtime.advance(1_000);
    expect([store.reads, store.writes]).toEqual([1, 2]);
    expect(worker.session.isIdle).toBe(true);
    await runtime.advance(3_600_000);
    expect(store.writes).toBe(2);
    // A process that comes then finds it full.
    expect(await soon(runtime, new Worker(store, "b").take(10))).toMatchObject({ granted: 10 });
  });

  it("is answered the same again when the answer to what it took into its hand was lost", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const take = { cost: 1, maxWaitMs: 0, ahead: 3, aheadWithinMs: 0 };
    const hold = { id: "h", seq: 1, spent: 0, keep: 0, forMs: 2_000 };
    store.losesAnswer = true;
    await expect(soon(runtime, worker.ask({ take, hold }))).rejects.toThrow("no answer");
    expect(await soon(runtime, worker.ask({ take, hold }))).toMatchObject({ granted: 4, inHand: 4 });
    expect((await soon(runtime, worker.ask())).remaining).toBeCloseTo(6, 0);
  });

  it("takes nothing for a caller that does not wait any more", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const controller = new AbortController();
    const first = worker.take();
    void worker.take(5, controller.signal).catch(() => undefined);
    const third = worker.take();
    controller.abort();
    expect((await soon(runtime, Promise.all([first, third])))[1].remaining).toBeCloseTo(8, 0);
  });

  it("is refused a limit that others do not have, alone, and nothing is written for it", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.take());
    const other = worker.ask({ limit: { ...LIMIT, max: 50 } });
    await expect(soon(runtime, other)).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
    expect(store.writes).toBe(1);
  });

  it("begins a bucket anew that is reset, also one that is damaged", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.take(10));
    store.spoil((text) => text.replace("f1", "f2"));
    await expect(soon(runtime, new Worker(store, "b").take())).rejects.toMatchObject({ code: "DT_STORE_DATA" });
    await soon(runtime, worker.session.reset(signal));
    expect(await soon(runtime, worker.session.inspect({ name: "api", key: "a" }))).toBeUndefined();
    expect(await soon(runtime, worker.take(10))).toMatchObject({ granted: 10 });
  });

  it("cancels its timer when it ends", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.take());
    worker.session.end();
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("a stored limit", () => {
  const VALUES = { max: 50, windowMs: 1_000, burst: 20 };
  const record = (revision: number, values: object | null, untilMs: number | null = null): string =>
    JSON.stringify(["l1", revision, values && JSON.stringify(values), untilMs, "[]"]);
  const take = { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };

  it("is read with each request that has it, with each try anew, and with no other", async () => {
    const { runtime, store } = world();
    const [one, other] = [new Worker(store, "a"), new Worker(store, "b")];
    await soon(runtime, one.take());
    expect(store.limit.reads).toBe(0);
    expect(await soon(runtime, one.ask({ take, stored: true }))).toMatchObject({ limit: LIMIT });
    store.limit.spoil(() => record(1, VALUES));
    expect(await soon(runtime, one.ask({ take, stored: true }))).toMatchObject({ limit: VALUES });
    expect([store.limit.reads, store.lostRaces]).toEqual([2, 0]);
    await soon(runtime, Promise.all([one.ask({ take, stored: true }), other.ask({ take, stored: true })]));
    expect(store.limit.reads).toBe(4 + store.lostRaces);
    store.limit.spoil(() => record(2, null));
    expect(await soon(runtime, one.ask({ take, stored: true }))).toMatchObject({ limit: LIMIT });
    // Without it the copy counts, as far as it is stricter.
    const reads = store.limit.reads;
    expect(await soon(runtime, one.ask({ take }))).toMatchObject({ limit: LIMIT });
    expect(store.limit.reads).toBe(reads);
  });

  it("that is set while a request is under way counts for its next try", async () => {
    const { runtime, store } = world();
    const [one, other] = [new Worker(store, "a"), new Worker(store, "b")];
    await soon(runtime, other.take());
    const asked = one.ask({ take, stored: true });
    await runtime.advance(3.5);
    store.spoil((text) => text);
    store.limit.spoil(() => record(1, VALUES));
    expect(await soon(runtime, asked)).toMatchObject({ limit: VALUES });
    expect(store.lostRaces).toBe(1);
  });

  it("whose time is over for one process is over for all that use the bucket", async () => {
    const { runtime, store } = world();
    const withWall = (aheadMs: number): Runtime =>
      Object.assign(hostRuntime(runtime, 0), { wallTimeMs: () => 1_000_000 + aheadMs + runtime.now() });
    const [early, late] = [new Worker(store, "a", withWall(60_000)), new Worker(store, "b", withWall(0))];
    store.limit.spoil(() => record(1, VALUES, 1_000_000 + runtime.now() + 30_000));
    expect(await soon(runtime, late.ask({ stored: true }))).toMatchObject({ limit: VALUES });
    expect(await soon(runtime, early.ask({ stored: true }))).toMatchObject({ limit: LIMIT });
    expect(await soon(runtime, late.ask({ stored: true }))).toMatchObject({ limit: LIMIT });
    store.limit.spoil(() => record(2, VALUES));
    expect(await soon(runtime, late.ask({ stored: true }))).toMatchObject({ limit: VALUES });
  });

  it("that is damaged refuses requests with it, and no others", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    store.limit.spoil(() => "nonsense");
    const [stored, other] = await soon(
      runtime,
      Promise.allSettled([worker.ask({ take, stored: true }), worker.ask({ take })]),
    );
    expect(stored).toMatchObject({ reason: { code: "DT_STORE_DATA" } });
    expect(other).toMatchObject({ value: { granted: 1 } });
  });
});

describe("processes that contend", () => {
  it("spend no more than the burst and what comes back, but for what their clocks lie apart, and all of it", async () => {
    const FOR_MS = 20_000;
    for (let seed = 1; seed <= 5; seed++) {
      const { runtime, store } = world(6, seed);
      const rates = [1, 1.0005, 0.9995, 1];
      const workers = rates.map((rate, i) => new Worker(store, `w${i}`, hostRuntime(runtime, i * 1e6, rate)));
      const untilMs = runtime.now() + FOR_MS;
      const run = async (worker: Worker): Promise<void> => {
        while (runtime.now() < untilMs) {
          await worker.take();
          const pauseMs = 100 * runtime.random();
          await new Promise<void>((resolve) => void runtime.setTimer(resolve, pauseMs));
        }
      };
      await soon(runtime, Promise.all(workers.map(run)), 2 * FOR_MS);
      const spent = workers.flatMap(({ spentMs }) => spentMs);
      const most = LIMIT.burst + ((FOR_MS + 2 * LONGEST_LEAD_MS) * LIMIT.max) / LIMIT.windowMs;
      expect(spent.length, `seed ${seed}`).toBeLessThanOrEqual(most);
      expect(spent.length, `seed ${seed}`).toBeGreaterThan(0.97 * (FOR_MS / LIMIT.windowMs) * LIMIT.max);
    }
  });
});
