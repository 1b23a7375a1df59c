import { LONGEST_LEAD_MS, PermitSession } from "@dt/cas";
import type { PermitRequest, Reservation, Runtime } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { hostRuntime, ModelStore } from "../timed-document/model-cell.ts";
import { soon } from "../timed-document/soon.ts";

const { signal } = new AbortController();
let ids = 0;
const request = (changes: Partial<PermitRequest> = {}): PermitRequest => ({
  ...{ id: `r${ids++}`, count: 1, cost: 1, everyMs: 1_000, burst: 1, maxReserved: 1_000, keepMs: 1_000, queueMs: 0 },
  ...changes,
});

interface Used {
  /** On the key's clock, and in true time. */
  readonly instantMs: number;
  readonly usedMs: number;
}

/** A process with a clock of its own. */
class Worker {
  readonly session: PermitSession;
  readonly #runtime: Runtime;
  readonly #world: VirtualRuntime;
  readonly used: Used[] = [];

  constructor(store: ModelStore, name: string, runtime: Runtime = store.runtime) {
    this.#world = store.runtime;
    this.#runtime = runtime;
    this.session = new PermitSession(store.cell(), store.limit.cell(), { runtime, timeoutMs: 1_000, client: name });
  }

  reserve(changes: Partial<PermitRequest> = {}): Promise<Reservation> {
    return this.session.reserve(request(changes), signal);
  }

  /** Takes a permit as a pacer does: waits on its own clock, from the answer on. */
  async take(changes: Partial<PermitRequest> = {}): Promise<void> {
    const reservation = await this.reserve(changes);
    const instantMs = instantOf(reservation, 0);
    await new Promise<void>((resolve) =>
      this.#runtime.setTimer(resolve, Math.max(0, instantMs - reservation.storeTimeMs)),
    );
    this.used.push({ instantMs, usedMs: this.#world.now() });
  }
}

/**
 * Smallest distance between permits in the order of their instants, but for the first ones: on the key's clock, and in
 * true time.
 */
function closest(workers: readonly Worker[], from = 0): { readonly ledgerMs: number; readonly trueMs: number } {
  const used = workers.flatMap((worker) => worker.used).sort((a, b) => a.instantMs - b.instantMs);
  const distances = (of: (permit: Used) => number): number[] =>
    used.slice(from + 1).map((permit, i) => of(permit) - of(used[from + i] as Used));
  return {
    ledgerMs: Math.min(...distances(({ instantMs }) => instantMs)),
    trueMs: Math.min(...distances(({ usedMs }) => usedMs)),
  };
}

function world(latencyMs = 4, seed = 1): { readonly runtime: VirtualRuntime; readonly store: ModelStore } {
  const runtime = new VirtualRuntime({ seed, startMs: 1_000 });
  return { runtime, store: new ModelStore(runtime, latencyMs) };
}

describe("one process", () => {
  it("makes one round trip for each call after the first, and reads nothing again", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    for (let i = 0; i < 20; i++) await soon(runtime, worker.reserve());
    expect([store.reads, store.writes]).toEqual([1, 20]);
  });

  it("writes calls that come together in one write", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const answers = await soon(runtime, Promise.all(Array.from({ length: 41 }, () => worker.reserve())));
    const first = instantOf(answers[0] as Reservation, 0);
    expect(answers.map((answer) => instantOf(answer, 0) - first)).toEqual(
      answers.map((_, i) => expect.closeTo(i * 1_000, 6)),
    );
    expect(store.writes).toBe(2);
  });

  it("records the time once when all it has reserved is past, and then does nothing more", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    for (let i = 0; i < 3; i++) await soon(runtime, worker.reserve());
    expect(worker.session.isIdle).toBe(false);
    await runtime.advance(3_100);
    expect([store.reads, store.writes]).toEqual([1, 4]);
    expect(worker.session.isIdle).toBe(true);
    await runtime.advance(3_600_000);
    expect(store.writes).toBe(4);
    // Whoever comes then is not kept waiting.
    const late = await soon(runtime, new Worker(store, "b").reserve({ maxReserved: 0 }));
    expect(late.granted).toBe(1);
  });

  it("is answered the same again when the answer was lost", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.reserve());
    const wanted = request();
    store.losesAnswer = true;
    await expect(soon(runtime, worker.session.reserve(wanted, signal))).rejects.toThrow("no answer");
    const again = await soon(runtime, worker.session.reserve(wanted, signal));
    const next = await soon(runtime, worker.reserve());
    expect(instantOf(next, 0) - instantOf(again, 0)).toBe(1_000);
  });

  it("reserves nothing for a caller that does not wait any more", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const controller = new AbortController();
    const first = worker.reserve();
    void worker.session.reserve(request(), controller.signal);
    const third = worker.reserve();
    controller.abort();
    const answers = await soon(runtime, Promise.all([first, third]));
    expect(answers.map((answer) => instantOf(answer, 0) - answer.storeTimeMs)[1]).toBeLessThan(1_000);
  });

  it("goes on when the store has forgotten everything, and its time does not go back", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const before = await soon(runtime, worker.reserve());
    await runtime.advance(60_000);
    store.forget();
    const after = await soon(runtime, worker.reserve());
    expect(after.storeTimeMs).toBeGreaterThan(before.storeTimeMs + 60_000);
    expect(instantOf(after, 0)).toBe(after.storeTimeMs);
  });

  it("gives nothing back where nothing is known, and writes nothing for it", async () => {
    const { runtime, store } = world();
    await soon(runtime, new Worker(store, "a").session.release({ id: "x", keep: 0 }, signal));
    expect(store.text).toBeUndefined();
  });

  it("cancels its timer when it ends", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    await soon(runtime, worker.reserve());
    worker.session.end();
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("processes that contend", () => {
  it("keep the distance exactly, lose no permit and leave no gap", async () => {
    const { runtime, store } = world(6);
    const workers = Array.from({ length: 8 }, (_, i) => new Worker(store, `w${i}`, hostRuntime(runtime, i * 1e9)));
    const run = async (worker: Worker): Promise<void> => {
      for (let i = 0; i < 25; i++) await worker.take({ everyMs: 30, maxReserved: 100 });
    };
    await soon(runtime, Promise.all(workers.map(run)), 60_000);
    expect(store.lostRaces).toBeGreaterThan(20);
    const { ledgerMs } = closest(workers);
    expect(ledgerMs).toBeCloseTo(30, 6);
    const instants = workers.flatMap(({ used }) => used.map(({ instantMs }) => instantMs)).sort((a, b) => a - b);
    expect(instants.length).toBe(200);
    expect((instants.at(-1) as number) - (instants[0] as number)).toBeLessThan(200 * 30 * 1.05);
  });
});

describe.each([
  ["tells what is there instead", true],
  ["must be asked what is there instead", false],
] as const)("where the answer to a lost race %s", (_, tells) => {
  it("nobody starves, though one process never stops", async () => {
    const runtime = new VirtualRuntime({ startMs: 1_000 });
    const store = new ModelStore(runtime, 8, tells);
    const [busy, ...others] = Array.from({ length: 4 }, (_, i) => new Worker(store, `w${i}`, runtime));
    let done = false;
    const flood = async (): Promise<void> => {
      while (!done) await (busy as Worker).reserve({ everyMs: 1 });
    };
    const flooding = flood();
    const take = async (worker: Worker): Promise<void> => {
      for (let i = 0; i < 100; i++) await worker.reserve({ everyMs: 1 });
    };
    await soon(runtime, Promise.all(others.map(take)), 60_000);
    done = true;
    await soon(runtime, flooding);
    expect(store.lostRaces).toBeGreaterThan(200);
  });
});

describe("in true time", () => {
  it.each([
    ["a key that everybody uses all the time", 40, 0, 25],
    ["a key that is used now and then", 6_000, 2_000, LONGEST_LEAD_MS + 20],
  ] as const)(
    "%s: permits come no closer than is stated, also when clocks are decades apart and drift",
    async (_, everyMs, pauseMs, errorMs) => {
      let worst = Number.POSITIVE_INFINITY;
      for (let seed = 1; seed <= 5; seed++) {
        const { runtime, store } = world(10, seed);
        const rates = [1, 1.0002, 0.9998, 1.0001, 1, 0.9999];
        const workers = rates.map((rate, i) => new Worker(store, `w${i}`, hostRuntime(runtime, i * 3e11, rate)));
        const run = async (worker: Worker): Promise<void> => {
          for (let i = 0; i < 12; i++) {
            await worker.take({ everyMs });
            await new Promise<void>((resolve) => runtime.setTimer(resolve, pauseMs * runtime.random()));
          }
        };
        const startMs = runtime.now();
        await soon(runtime, Promise.all(workers.map(run)), 1e6);
        const { ledgerMs, trueMs } = closest(workers);
        // A number near 1e12 has steps of 0.0001.
        expect(ledgerMs).toBeGreaterThan(everyMs - 0.001);
        expect(trueMs).toBeGreaterThan(everyMs - LONGEST_LEAD_MS - 20);
        worst = Math.min(worst, closest(workers, 2 * workers.length).trueMs - everyMs);
        // Nor is the rate lost in it.
        if (pauseMs === 0) expect(runtime.now() - startMs).toBeLessThan(72 * everyMs * 1.15);
        else expect(runtime.now() - startMs).toBeLessThan(72 * everyMs * 1.1);
      }
      expect(worst).toBeGreaterThan(-errorMs);
    },
  );

  it("permits come no closer than the lead allows, whoever stood still, came back or is new", async () => {
    const everyMs = 3_000;
    for (let seed = 1; seed <= 20; seed++) {
      const { runtime, store } = world(10, seed);
      const workers: Worker[] = [];
      const running: Promise<void>[] = [];
      for (let i = 0; i < 8; i++) {
        const worker = new Worker(store, `w${i}`, hostRuntime(runtime, runtime.random() * 1e12));
        workers.push(worker);
        const live = async (): Promise<void> => {
          for (let n = 0; n < 4; n++) {
            await worker.take({ everyMs });
            await new Promise<void>((resolve) => runtime.setTimer(resolve, 40_000 * runtime.random() ** 3));
          }
          // It is gone without a word: it records no time any more.
          worker.session.end();
        };
        running.push(live());
        await runtime.advance(20_000 * runtime.random());
      }
      await soon(runtime, Promise.all(running), 1e6);
      const { ledgerMs, trueMs } = closest(workers);
      // A number near 1e12 has steps of 0.0001.
      expect(ledgerMs).toBeGreaterThan(everyMs - 0.001);
      expect(trueMs).toBeGreaterThan(everyMs - LONGEST_LEAD_MS - 20);
    }
  });

  it("a new process waits at most for what is reserved when the last one has crashed", async () => {
    const { runtime, store } = world();
    const crashed = new Worker(store, "a");
    await soon(runtime, crashed.take({ everyMs: 6_000 }));
    crashed.session.end();
    await runtime.advance(5_000);
    const next = new Worker(store, "b");
    await soon(runtime, next.take({ everyMs: 6_000 }));
    const { trueMs } = closest([crashed, next]);
    expect(trueMs).toBeGreaterThanOrEqual(6_000);
    expect(trueMs).toBeLessThan(11_100);
  });

  it("the time is recorded while processes that take turns wait, and no oftener than every 250 ms", async () => {
    const { runtime, store } = world();
    const [a, b] = [new Worker(store, "a"), new Worker(store, "b")];
    for (const worker of [a, b, a, b]) {
      await soon(runtime, worker.reserve({ everyMs: 6_000 }));
      await runtime.advance(1_000);
    }
    const before = store.writes;
    await runtime.advance(10_000);
    expect(store.writes - before).toBeGreaterThan(35);
    expect(store.writes - before).toBeLessThanOrEqual(40);
    await runtime.advance(60_000);
    const idle = store.writes;
    await runtime.advance(600_000);
    expect(store.writes).toBe(idle);
  });
});

describe("terms, resets and damage of a key", () => {
  const named = (terms: string): Partial<PermitRequest> => ({ terms });

  it("another process with other terms is refused, alone, and writes nothing", async () => {
    const { runtime, store } = world();
    const [a, b] = [new Worker(store, "a"), new Worker(store, "b")];
    await soon(runtime, a.reserve(named("old")));
    const both = Promise.allSettled([b.reserve(named("new")), b.reserve(named("old")), b.reserve(named("new"))]);
    expect((await soon(runtime, both)).map(({ status }) => status)).toEqual(["rejected", "fulfilled", "rejected"]);
    const { writes } = store;
    await expect(soon(runtime, b.reserve(named("new")))).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
    expect(store.writes).toBe(writes);
  });

  it("a process is not refused by what it remembers when another one has reset the key", async () => {
    const { runtime, store } = world();
    const a = new Worker(store, "a");
    await soon(runtime, a.reserve(named("old")));
    await soon(runtime, new Worker(store, "b").session.reset(signal));
    expect(await soon(runtime, a.reserve(named("new")))).toMatchObject({ granted: 1 });
  });

  it("a process that comes new finds out itself that a key is idle", async () => {
    const { runtime, store } = world();
    await soon(runtime, new Worker(store, "a").reserve(named("old")));
    await runtime.advance(3_600_000);
    const late = new Worker(store, "b");
    const ask = (): Promise<Reservation> => soon(runtime, late.reserve(named("new")));
    await expect(ask()).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
    await runtime.advance(10_500);
    expect(await ask()).toMatchObject({ granted: 1 });
  });

  it("a reset makes a key free that is blocked for a day", async () => {
    const { runtime, store } = world();
    const [a, b] = [new Worker(store, "a"), new Worker(store, "b")];
    await soon(runtime, a.reserve({ cost: 86_400 }));
    expect(await soon(runtime, b.reserve({ maxReserved: 0 }))).toMatchObject({ granted: 0 });
    await soon(runtime, b.session.reset(signal));
    expect(await soon(runtime, a.reserve({ maxReserved: 0 }))).toMatchObject({ granted: 1 });
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
    ["without a number", (text) => text.replace(/"row":\[\d+/, '"row":[null')],
  ])("what is %s is refused with the remedy, and a reset makes it good", async (_, change) => {
    const { runtime, store } = world();
    const a = new Worker(store, "a");
    await soon(runtime, a.reserve());
    store.spoil(change);
    const spoilt = store.text;
    await expect(soon(runtime, new Worker(store, "b").reserve())).rejects.toMatchObject({
      code: "DT_STORE_DATA",
      message: expect.stringMatching(/^model holds .*call resetPermits\(key\)/),
    });
    expect(store.text).toBe(spoilt);
    await soon(runtime, new Worker(store, "c").session.reset(signal));
    expect(await soon(runtime, new Worker(store, "b").reserve())).toMatchObject({ granted: 1 });
  });
});

describe("an inspection", () => {
  it("tells the key's time as its own last writer knows it, long after the record", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    const { storeTimeMs } = await soon(runtime, worker.reserve({ everyMs: 3_600_000, keepMs: 100_000 }));
    const { writes } = store;
    await runtime.advance(60_000);
    const snapshot = await soon(runtime, worker.session.inspect("k"));
    expect(snapshot?.storeTimeMs).toBeCloseTo(storeTimeMs + 60_000, -2);
    expect(snapshot).toMatchObject({ key: "k", known: 1, reservedUntilMs: storeTimeMs + 3_600_000 });
    expect(store.writes).toBe(writes);
  });

  it("of a client that only looks tells the time of the record, and what has passed since its first look", async () => {
    const { runtime, store } = world();
    const [writer, looker] = [new Worker(store, "a"), new Worker(store, "b")];
    const { storeTimeMs } = await soon(runtime, writer.reserve({ everyMs: 3_600_000 }));
    await runtime.advance(60_000);
    expect((await soon(runtime, looker.session.inspect("k")))?.storeTimeMs).toBe(storeTimeMs);
    await runtime.advance(60_000);
    const second = await soon(runtime, looker.session.inspect("k"));
    expect(second?.storeTimeMs).toBeCloseTo(storeTimeMs + 60_000, -2);
  });

  it("leaves the clock of calls as it was, though what it reads is older than what was recorded meanwhile", async () => {
    const { runtime, store } = world();
    const [other, worker] = [new Worker(store, "b"), new Worker(store, "a")];
    await soon(runtime, other.reserve({ everyMs: 60_000 }));
    await runtime.advance(30_000);
    await soon(runtime, worker.reserve({ everyMs: 60_000 }));
    await runtime.advance(30_000);
    // Both are on their way at the same time.
    const [, reservation] = await soon(runtime, Promise.all([worker.session.inspect("k"), worker.reserve()]));
    const next = await soon(runtime, worker.reserve());
    expect(next.storeTimeMs).toBeGreaterThanOrEqual(reservation.storeTimeMs);
  });

  it("of a key that nobody has used is undefined, and of one that is damaged an error", async () => {
    const { runtime, store } = world();
    const worker = new Worker(store, "a");
    expect(await soon(runtime, worker.session.inspect("k"))).toBeUndefined();
    await soon(runtime, worker.reserve());
    store.spoil(() => "nonsense");
    await expect(soon(runtime, worker.session.inspect("k"))).rejects.toMatchObject({ code: "DT_STORE_DATA" });
  });
});
