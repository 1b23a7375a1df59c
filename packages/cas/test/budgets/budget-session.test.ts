import { BudgetSession, LONGEST_LEAD_MS } from "@dt/cas";
import type { Runtime, SpendAnswer, SpendRequest, SpendReservation } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { hostRuntime, ModelStore } from "../timed-document/model-cell.ts";
import { soon } from "../timed-document/soon.ts";

const { signal } = new AbortController();
const WINDOW_MS = 6_000;
/** A charge counts for a part of a window longer. */
const SLOT_MS = WINDOW_MS / 240;
const MAX = 100;
const TOKENS = { name: "tokens", max: MAX, windowMs: WINDOW_MS, burst: MAX };
let ids = 0;

interface Used {
  readonly units: number;
  /** On the budget's clock, and in true time. */
  readonly atMs: number;
  readonly usedMs: number;
}

/** A process with a clock of its own. */
class Worker {
  readonly session: BudgetSession;
  readonly #runtime: Runtime;
  readonly #world: VirtualRuntime;
  readonly used: Used[] = [];

  constructor(store: ModelStore, name: string, runtime: Runtime = store.runtime) {
    this.#world = store.runtime;
    this.#runtime = runtime;
    this.session = new BudgetSession(store.cell(), store.limit.cell(), { runtime, timeoutMs: 1_000, client: name });
  }

  ask(request: Partial<SpendRequest>): Promise<SpendAnswer> {
    return this.session.spend({ limits: [TOKENS], keeps: [0], ...request }, signal);
  }

  reserve(units: number, more: Partial<SpendReservation> = {}, request: Partial<SpendRequest> = {}) {
    const reserve = { id: `r${ids++}`, costs: [units], tier: 0, maxWaitMs: 1e9, keepMs: 60_000, ...more };
    return this.ask({ reserve, ...request });
  }

  /** Spends as a budget's client does: waits on its own clock, from the answer on, and settles as reserved. */
  async take(units: number): Promise<void> {
    const id = `r${ids++}`;
    const { waitMs, atMs } = await this.reserve(units, { id });
    await new Promise<void>((resolve) => this.#runtime.setTimer(resolve, waitMs));
    this.used.push({ units, atMs, usedMs: this.#world.now() });
    await this.ask({ settle: [{ id, costs: [units], measured: false }] });
  }
}

function world(latencyMs = 4, seed = 1): { readonly runtime: VirtualRuntime; readonly store: ModelStore } {
  const runtime = new VirtualRuntime({ seed, startMs: 1_000 });
  return { runtime, store: new ModelStore(runtime, latencyMs) };
}

/** The most units in any window of this length: by their instants, and in true time. */
function mostIn(workers: readonly Worker[], windowMs: number, of: (one: Used) => number): number {
  const used = workers.flatMap((worker) => worker.used).sort((a, b) => of(a) - of(b));
  const sums = used.map((first) =>
    used
      .filter((one) => of(one) >= of(first) && of(one) < of(first) + windowMs)
      .reduce((sum, one) => sum + one.units, 0),
  );
  return Math.max(...sums);
}

describe("one process", () => {
  it("makes one round trip for each call after the first, and reads nothing again", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    for (let i = 0; i < 20; i++) await soon(runtime, worker.reserve(1));
    expect([store.reads, store.writes]).toEqual([1, 20]);
  });

  it("writes calls that come together in one write, each for itself", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const answers = await soon(runtime, Promise.all(Array.from({ length: 41 }, () => worker.reserve(2))));
    expect(answers.map(({ rests }) => rests[0])).toEqual(answers.map((_, i) => MAX - 2 * (i + 1)));
    expect(store.writes).toBe(2);
  });

  it("records the time once when all it has spent is past, and then does nothing more", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    for (let i = 0; i < 3; i++) await soon(runtime, worker.reserve(30));
    expect(worker.session.isIdle).toBe(false);
    await runtime.advance(WINDOW_MS + SLOT_MS + 100);
    expect([store.reads, store.writes]).toEqual([1, 4]);
    expect(worker.session.isIdle).toBe(true);
    await runtime.advance(3_600_000);
    expect(store.writes).toBe(4);
    // A process that comes then is not kept waiting.
    expect(await soon(runtime, new Worker(store, "b").reserve(MAX, { maxWaitMs: 0 }))).toMatchObject({ granted: true });
  });

  it("is answered the same again when the answer was lost", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.reserve(MAX));
    store.losesAnswer = true;
    await expect(soon(runtime, worker.reserve(30, { id: "twice" }))).rejects.toThrow("no answer");
    const again = await soon(runtime, worker.reserve(30, { id: "twice" }));
    expect(again).toMatchObject({ granted: true, rests: [-30] });
    const settle = [{ id: "twice", costs: [10], measured: false }];
    store.losesAnswer = true;
    await expect(soon(runtime, worker.ask({ settle }))).rejects.toThrow("no answer");
    expect((await soon(runtime, worker.ask({ settle }))).rests).toEqual([-10]);
  });

  it("reserves nothing for a caller that does not wait any more", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const controller = new AbortController();
    const first = worker.reserve(1);
    const reserve = { id: "gone", costs: [50], tier: 0, maxWaitMs: 0, keepMs: 0 };
    void worker.session.spend({ limits: [TOKENS], keeps: [0], reserve }, controller.signal);
    const third = worker.reserve(1);
    controller.abort();
    expect((await soon(runtime, Promise.all([first, third])))[1].rests).toEqual([MAX - 2]);
  });

  it("goes on when the store has forgotten everything, and its time does not go back", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const before = await soon(runtime, worker.reserve(1));
    await runtime.advance(60_000);
    store.forget();
    const after = await soon(runtime, worker.reserve(1));
    expect(after.storeTimeMs).toBeGreaterThan(before.storeTimeMs + 60_000);
  });

  it("cancels its timer when it ends", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.reserve(1));
    worker.session.end();
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("processes that contend", () => {
  it("spend no more than the limit in any window of the budget's time, and lose nothing of it", async () => {
    const { runtime, store } = world(6);
    const workers = Array.from({ length: 8 }, (_, i) => new Worker(store, `w${i}`, hostRuntime(runtime, i * 1e9)));
    const run = async (worker: Worker): Promise<void> => {
      for (let i = 0; i < 25; i++) await worker.take(2);
    };
    const startMs = runtime.now();
    await soon(runtime, Promise.all(workers.map(run)), 200_000);
    expect(store.lostRaces).toBeGreaterThan(20);
    expect(mostIn(workers, WINDOW_MS, ({ atMs }) => atMs)).toBe(MAX);
    expect(mostIn(workers, WINDOW_MS - LONGEST_LEAD_MS, ({ usedMs }) => usedMs)).toBeLessThanOrEqual(MAX);
    // Four windows in all: the first at once, and three that have to pass.
    expect(runtime.now() - startMs).toBeLessThan(3 * (WINDOW_MS + SLOT_MS) * 1.05 + 500);
  });
});

describe("in true time", () => {
  it.each([
    ["processes that use the budget all the time", 0, false, 500],
    ["processes that come now and then", 4_000, false, 800],
    ["processes that stood still, came back, have gone or are new", 40_000, true, 1_000],
  ] as const)("a window is no shorter than is stated: %s", async (_, pauseMs, goes, errorMs) => {
    for (let seed = 1; seed <= 10; seed++) {
      const { runtime, store } = world(10, seed);
      const workers: Worker[] = [];
      const running: Promise<void>[] = [];
      for (let i = 0; i < 8; i++) {
        const worker = new Worker(store, `w${i}`, hostRuntime(runtime, runtime.random() * 1e12));
        workers.push(worker);
        const live = async (): Promise<void> => {
          for (let n = 0; n < 8; n++) {
            await worker.take(40);
            await new Promise<void>((resolve) => runtime.setTimer(resolve, pauseMs * runtime.random() ** 3));
          }
          // It is gone without a word: it records no time any more.
          if (goes) worker.session.end();
        };
        running.push(live());
        await runtime.advance((pauseMs / 2) * runtime.random());
      }
      await soon(runtime, Promise.all(running), 1e6);
      expect(mostIn(workers, WINDOW_MS, ({ atMs }) => atMs)).toBeLessThanOrEqual(MAX);
      expect(mostIn(workers, WINDOW_MS - errorMs, ({ usedMs }) => usedMs)).toBeLessThanOrEqual(MAX);
    }
  });

  it("clocks that drift and processes that come now and then lose little of the rate", async () => {
    const { runtime, store } = world(10);
    const rates = [1, 1.0002, 0.9998];
    const workers = rates.map((rate, i) => new Worker(store, `w${i}`, hostRuntime(runtime, i * 3e11, rate)));
    const run = async (worker: Worker): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        await worker.take(50);
        await new Promise<void>((resolve) => runtime.setTimer(resolve, 2_000 * runtime.random()));
      }
    };
    const startMs = runtime.now();
    await soon(runtime, Promise.all(workers.map(run)), 1e6);
    expect(runtime.now() - startMs).toBeLessThan(29 * (WINDOW_MS + SLOT_MS) * 1.15);
  });

  it("a new process waits at most for what is spent when the last one has crashed", async () => {
    const { runtime, store } = world();
    const crashed = new Worker(store, "a");
    await soon(runtime, crashed.take(MAX));
    crashed.session.end();
    await runtime.advance(5_000);
    const { waitMs } = await soon(runtime, new Worker(store, "b").reserve(MAX));
    expect(waitMs).toBeGreaterThan(WINDOW_MS - LONGEST_LEAD_MS);
    expect(waitMs).toBeLessThanOrEqual(WINDOW_MS + SLOT_MS);
  });

  it("the time is recorded while processes take turns, and no oftener than every 250 ms", async () => {
    const { runtime, store } = world();
    const [a, b] = [new Worker(store, "a"), new Worker(store, "b")];
    for (const worker of [a, b, a, b]) {
      await soon(runtime, worker.reserve(1));
      await runtime.advance(1_000);
    }
    const before = store.writes;
    await runtime.advance(4_000);
    expect(store.writes - before).toBeGreaterThan(13);
    expect(store.writes - before).toBeLessThanOrEqual(16);
    await runtime.advance(60_000);
    const idle = store.writes;
    await runtime.advance(600_000);
    expect(store.writes).toBe(idle);
  });
});

describe("terms, pauses, resets and damage of a budget", () => {
  const named = (terms: string): Partial<SpendRequest> => ({ terms });

  it("another process with other terms is refused, alone, and writes nothing", async () => {
    const { runtime, store } = world();
    const [a, b] = [new Worker(store, "a"), new Worker(store, "b")];
    await soon(runtime, a.reserve(1, {}, named("old")));
    const both = Promise.allSettled([
      b.reserve(1, {}, named("new")),
      b.reserve(1, {}, named("old")),
      b.reserve(1, {}, named("new")),
    ]);
    expect((await soon(runtime, both)).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
    const { writes } = store;
    await expect(soon(runtime, b.reserve(1, {}, named("new")))).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
    expect(store.writes).toBe(writes);
  });

  it("a pause holds for every process, though nothing is reserved with it", async () => {
    const { runtime, store } = world();
    const [a, b] = [new Worker(store, "a"), new Worker(store, "b")];
    await soon(runtime, a.ask({ pauseMs: 30_000 }));
    const { waitMs, limitedBy } = await soon(runtime, b.reserve(1));
    expect(limitedBy).toBe(-1);
    expect(waitMs).toBeGreaterThan(29_000);
    expect(waitMs).toBeLessThanOrEqual(30_000);
  });

  it("a reset forgets a budget whole, but not its time", async () => {
    const { runtime, store } = world();
    const [a, b] = [new Worker(store, "a"), new Worker(store, "b")];
    const { storeTimeMs } = await soon(runtime, a.reserve(MAX, {}, { pauseMs: 60_000, terms: "old" }));
    await soon(runtime, b.session.reset(signal));
    expect(await soon(runtime, b.session.inspect("k"))).toBeUndefined();
    const free = await soon(runtime, a.reserve(MAX, { maxWaitMs: 0 }, named("new")));
    expect(free).toMatchObject({ granted: true, rests: [0] });
    expect(free.storeTimeMs).toBeGreaterThanOrEqual(storeTimeMs);
  });

  it("a reset of nothing writes nothing", async () => {
    const { runtime, store } = world();
    await soon(runtime, new Worker(store, "a").session.reset(signal));
    expect(store.writes).toBe(0);
  });

  it.each<[string, (text: string) => string]>([
    ["truncated", (text) => text.slice(0, 40)],
    ["empty", () => ""],
    ["of another program", () => "{}"],
    ["of a newer version", (text) => text.replace('"v":"f1"', '"v":"f2"')],
    ["without a number", (text) => text.replace(/"f1",\[\d+/, '"f1",[null')],
  ])("what is %s is refused with the remedy, and a reset makes it good", async (_, change) => {
    const { runtime, store } = world();
    const a = new Worker(store, "a");
    await soon(runtime, a.reserve(MAX));
    store.spoil(change);
    const spoilt = store.text;
    await expect(soon(runtime, new Worker(store, "b").reserve(1))).rejects.toMatchObject({
      code: "DT_STORE_DATA",
      message: expect.stringMatching(/^model holds .*call resetBudget\(name\)/),
    });
    expect(store.text).toBe(spoilt);
    await soon(runtime, new Worker(store, "c").session.reset(signal));
    expect(await soon(runtime, new Worker(store, "b").reserve(MAX, { maxWaitMs: 0 }))).toMatchObject({ granted: true });
  });
});

describe("an inspection", () => {
  it("tells the budget's time as its own last writer knows it, long after the record, and writes nothing", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const { storeTimeMs } = await soon(runtime, worker.reserve(30));
    const { writes } = store;
    await runtime.advance(4_000);
    const snapshot = await soon(runtime, worker.session.inspect("k"));
    expect(snapshot?.storeTimeMs).toBeCloseTo(storeTimeMs + 4_000, -2);
    expect(snapshot).toMatchObject({ budget: "k", open: 1, pausedForMs: 0, limits: [{ name: "tokens", spent: 30 }] });
    expect(store.writes).toBe(writes);
  });

  it("of a budget that no process has used is undefined, and of one that is damaged an error", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    expect(await soon(runtime, worker.session.inspect("k"))).toBeUndefined();
    await soon(runtime, worker.reserve(1));
    store.spoil(() => "nonsense");
    await expect(soon(runtime, worker.session.inspect("k"))).rejects.toMatchObject({ code: "DT_STORE_DATA" });
  });
});
