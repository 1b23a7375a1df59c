import { createThrottle, type DtError, MemoryStore } from "@dt/core";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { type RecordTracker, throttled } from "../../src/index.ts";
import { gate, listed, numbers, through } from "./support.ts";

/** A checkpoint that writes down what it is told. */
function tracker() {
  const log: string[] = [];
  const ended = new Set<number>();
  const checkpoint: RecordTracker = {
    begin: () => void log.push("begin"),
    ended: (index) => void ended.add(index),
    save: async () => void log.push(`save ${ended.size}`),
  };
  return { checkpoint, log, ended };
}

describe("an abort", () => {
  it("ends in order: calls under way end and are written, what was only read is not done", async () => {
    const source = numbers(100);
    const controller = new AbortController();
    const { checkpoint, ended, log } = tracker();
    const doors = [gate<string>(), gate<string>()];
    const { pipeline, texts } = listed(source, (n) => doors[n]?.promise ?? "?", {
      checkpoint,
      concurrency: 2,
      signal: controller.signal,
    });
    const run = pipeline.run();
    await settle();
    controller.abort();
    await settle();
    expect(pipeline.status()).toMatchObject({ state: "draining", inflight: 2, waiting: 2 });
    for (const [n, door] of doors.entries()) door.open(`answer ${n}`);
    expect(await run).toMatchObject({ state: "aborted", read: 4, success: 2, lowWater: 2 });
    expect(texts()).toEqual(["0 -> answer 0", "1 -> answer 1"]);
    expect([...ended]).toEqual([0, 1]);
    expect(log).toEqual(["begin", "save 2"]);
    expect(source.closed).toBe(true);
  });

  it("calls back those who wait for tokens: they are not done, and nothing of them stays in the throttle", async () => {
    const runtime = new VirtualRuntime();
    const throttle = createThrottle({ name: "g", max: 2, store: new MemoryStore({ runtime }), runtime });
    await throttle.start();
    await runtime.advance(1_000);
    const controller = new AbortController();
    const { checkpoint, ended } = tracker();
    const called: number[] = [];
    const pipeline = throttled(numbers(50), (n) => void called.push(n), {
      throttle,
      checkpoint,
      concurrency: 10,
      signal: controller.signal,
      runtime,
    });
    const run = pipeline.run();
    await settle();
    expect(throttle.status().waiting).toBe(10);
    controller.abort("enough");
    expect(await run).toMatchObject({ state: "aborted", success: 2, lowWater: 2, error: 0 });
    expect([called, [...ended]]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(throttle.status().waiting).toBe(0);
    await throttle.stop();
  });

  it("does not wait for longer than drainTimeout: the calls' signal is aborted, and they are not done", async () => {
    const runtime = new VirtualRuntime();
    const controller = new AbortController();
    const { checkpoint, ended } = tracker();
    let told: AbortSignal | undefined;
    const never = gate<string>();
    const { pipeline, texts } = listed(
      numbers(3),
      (_, { signal }) => {
        told = signal;
        return never.promise;
      },
      { checkpoint, signal: controller.signal, drainTimeout: "3s", runtime },
    );
    const run = pipeline.run();
    await settle();
    controller.abort();
    await runtime.advance(2_999);
    expect([pipeline.status().state, told?.aborted]).toEqual(["draining", false]);
    await runtime.advance(1);
    expect(await run).toMatchObject({ state: "aborted", success: 0, lowWater: 0 });
    expect(told?.aborted).toBe(true);
    // An answer that comes after all is not written into an output that is closed.
    never.open("late");
    await settle();
    expect([texts(), ended.size]).toEqual([[], 0]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("while the source is silent does not wait for it", async () => {
    let closing = false;
    const silent = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<number>>(() => undefined),
        return: async () => {
          closing = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const controller = new AbortController();
    const run = throttled(silent, (n) => n, { signal: controller.signal }).run();
    await settle();
    controller.abort();
    expect(await run).toMatchObject({ state: "aborted", read: 0 });
    expect(closing).toBe(true);
  });

  it("waits until the source is closed, unless that takes longer than drainTimeout", async () => {
    for (const [closesInMs, closed] of [
      [500, true],
      [5_000, false],
    ] as const) {
      const runtime = new VirtualRuntime();
      const controller = new AbortController();
      let done = false;
      async function* source(): AsyncGenerator<number> {
        try {
          for (let n = 0; ; n++) yield n;
        } finally {
          await new Promise<void>((resolve) => void runtime.setTimer(resolve, closesInMs));
          done = true;
        }
      }
      const door = gate();
      const run = throttled(source(), () => door.promise, {
        signal: controller.signal,
        drainTimeout: "1s",
        runtime,
      }).run();
      await settle();
      controller.abort();
      door.open();
      expect(await through(runtime, run)).toMatchObject({ state: "aborted" });
      expect([done, runtime.now()]).toEqual([closed, closed ? 500 : 1_000]);
    }
  });

  it("before the run calls nothing, and one after the last record changes nothing", async () => {
    const source = numbers(3);
    expect(await throttled(source, (n) => n, { signal: AbortSignal.abort() }).run()).toMatchObject({
      state: "aborted",
      read: 0,
    });
    const controller = new AbortController();
    const last = async (n: number): Promise<void> => {
      if (n === 2) controller.abort();
    };
    expect(await throttled([0, 1, 2], last, { signal: controller.signal, concurrency: 1 }).run()).toMatchObject({
      success: 3,
    });
  });
});

describe("a call that throws", () => {
  const nothing = Object.create(null) as object;
  it.each<[string, unknown, string]>([
    ["an error", new Error("boom"), "boom"],
    ["an error without a message", new TypeError(), "TypeError"],
    ["a string", "boom", "boom"],
    ["nothing", undefined, "undefined"],
    ["null", null, "null"],
    ["a symbol", Symbol("odd"), "Symbol(odd)"],
    ["a bigint", 10n, "10"],
    ["an object with a message", { message: "said" }, "said"],
    ["an object that has no text", nothing, "something was thrown that has no text"],
  ])("%s ends as an error with a text", async (_, thrown, error) => {
    const { pipeline, endings } = listed([7], () => {
      throw thrown;
    });
    await pipeline.run();
    expect(endings).toEqual([{ kind: "error", input: 7, index: 0, error, cause: thrown }]);
  });

  it("or a rule that throws, or functions of the options, is an error of that record alone", async () => {
    const picky = (name: string) => (n: number) => {
      if (n === 1) throw new Error(`${name} does not like it`);
      return undefined;
    };
    for (const name of ["refuse", "cost", "order", "groups"] as const) {
      const { pipeline, endings } = listed([0, 1, 2], (n) => n, { [name]: picky(name), concurrency: 1 });
      expect(await pipeline.run()).toMatchObject({ state: "done", success: 2, error: 1 });
      expect(endings[1]).toMatchObject({ input: 1, error: `${name} does not like it` });
    }
    const classify = (): never => {
      throw new Error("no idea");
    };
    const { pipeline, endings } = listed([0], (n) => n, { classify });
    await pipeline.run();
    expect(endings).toMatchObject([{ kind: "error", error: "no idea" }]);
  });
});

describe("a record that cannot be called", () => {
  it("ends as an error with its reason, and nothing is spent on it", async () => {
    const called: number[] = [];
    const { pipeline, endings } = listed([0, 1, 2], (n) => void called.push(n), {
      refuse: (n) => (n === 1 ? "not a number that we like" : undefined),
      concurrency: 1,
    });
    await pipeline.run();
    expect(called).toEqual([0, 2]);
    expect(endings[1]).toMatchObject({ kind: "error", input: 1, error: "not a number that we like" });
  });
});

describe("a source that throws in the middle", () => {
  it("ends the run with its error, after what it gave has gone its way", async () => {
    async function* source(): AsyncGenerator<number> {
      yield* [0, 1, 2];
      throw new Error("the disk is gone");
    }
    const { checkpoint, log } = tracker();
    const { pipeline, texts } = listed(source(), async (n) => n, { checkpoint, concurrency: 1 });
    await expect(pipeline.run()).rejects.toThrow("the disk is gone");
    expect(texts()).toEqual(["0 -> 0", "1 -> 1", "2 -> 2"]);
    expect(log).toEqual(["begin", "save 3"]);
    expect(pipeline.status()).toMatchObject({ state: "failed", success: 3, lowWater: 3 });
  });

  it("or cannot even be begun, the same", async () => {
    const source = {
      [Symbol.asyncIterator]: () => {
        throw new Error("no such file");
      },
    };
    await expect(throttled(source, (n) => n).run()).rejects.toThrow("no such file");
  });
});

describe("an output that fails", () => {
  it("ends the run with its error: nothing more is begun, and its record is not done", async () => {
    const source = numbers(1_000);
    const { checkpoint, ended } = tracker();
    const called: number[] = [];
    const pipeline = throttled(source, (n) => void called.push(n), {
      success: async ({ input }) => {
        if (input === 5) throw new Error("the disk is full");
      },
      checkpoint,
      concurrency: 1,
    });
    await expect(pipeline.run()).rejects.toThrow("the disk is full");
    expect(called).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...ended]).toEqual([0, 1, 2, 3, 4]);
    expect(pipeline.status()).toMatchObject({ state: "failed", lowWater: 5 });
    expect(source.closed).toBe(true);
  });

  it("in opening costs no call, and the others are closed", async () => {
    const log: string[] = [];
    const source = numbers(3);
    const good = { write: () => undefined, close: async () => void log.push("closed") };
    const bad = {
      write: () => undefined,
      open: async () => {
        throw new Error("no such folder");
      },
    };
    const run = throttled(source, () => void log.push("called"), { success: good, error: bad }).run();
    await expect(run).rejects.toThrow("no such folder");
    // One record was asked for: a live source must be listened to before anything is awaited.
    expect([log, source.read, source.closed]).toEqual([["closed"], 1, true]);
  });

  it("in closing is told of as well, and the others are closed all the same", async () => {
    const log: string[] = [];
    const bad = {
      write: () => undefined,
      close: async () => {
        throw new Error("not flushed");
      },
    };
    const good = { write: () => undefined, close: async () => void log.push("closed") };
    const pipeline = throttled(numbers(3), (n) => n, { success: bad, error: good });
    await expect(pipeline.run()).rejects.toThrow("not flushed");
    expect([log, pipeline.status().state]).toEqual([["closed"], "failed"]);
  });

  it("or a checkpoint that fails, the same", async () => {
    const failing = (method: "ended" | "save"): RecordTracker => ({
      ...tracker().checkpoint,
      [method]: () => Promise.reject(new Error(`${method} failed`)),
    });
    for (const method of ["ended", "save"] as const) {
      const pipeline = throttled(numbers(10), (n) => n, { checkpoint: failing(method), concurrency: 1 });
      await expect(pipeline.run()).rejects.toThrow(`${method} failed`);
    }
  });
});

describe("a store that does not answer", () => {
  /** A throttle whose store can be made to fail. */
  async function world(patience: number, records = 30) {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const throttle = createThrottle({ name: "g", max: 2, store, runtime, memberId: "p" });
    await throttle.start();
    await runtime.advance(1_000);
    const { pipeline, texts } = listed(numbers(records), async (n) => n, {
      throttle,
      runtime,
      patience,
      concurrency: 4,
    });
    return { runtime, store, throttle, pipeline, texts };
  }

  it("for less than patience makes records wait, and none of them an error", async () => {
    const { runtime, store, throttle, pipeline } = await world(60_000);
    const run = pipeline.run();
    await runtime.advance(2_000);
    const sync = store.sync.bind(store);
    store.sync = () => Promise.reject(new Error("down"));
    await runtime.advance(20_000);
    const { success } = pipeline.status();
    expect(throttle.status().lastError).toBeDefined();
    await runtime.advance(5_000);
    expect(pipeline.status()).toMatchObject({ state: "running", success, error: 0 });
    store.sync = sync;
    expect(await through(runtime, run)).toMatchObject({ state: "done", success: 30, error: 0 });
    await throttle.stop();
  });

  it("for longer ends the run with the store's error: what is left is not done", async () => {
    const { runtime, store, throttle, pipeline } = await world(10_000);
    const run = pipeline.run().catch((error: DtError) => error);
    await runtime.advance(2_000);
    store.sync = () => Promise.reject(new Error("down"));
    const error = await through(runtime, run);
    expect((error as DtError).code).toMatch(/^DT_STORE/);
    expect(pipeline.status()).toMatchObject({ state: "failed", error: 0 });
    expect(pipeline.status().lowWater).toBe(pipeline.status().success);
    await throttle.stop();
  });

  it("now and then, each time for less than patience, ends nothing: patience begins with each outage", async () => {
    const { runtime, store, throttle, pipeline } = await world(15_000, 200);
    const run = pipeline.run();
    const sync = store.sync.bind(store);
    const down = () => Promise.reject(new Error("down"));
    for (let outage = 0; outage < 4; outage++) {
      store.sync = down;
      await runtime.advance(10_000);
      expect(throttle.status().lastError).toBeDefined();
      store.sync = sync;
      const { success } = pipeline.status();
      await runtime.advance(4_000);
      expect(pipeline.status()).toMatchObject({ state: "running", error: 0 });
      expect(pipeline.status().success).toBeGreaterThan(success);
    }
    expect(await through(runtime, run)).toMatchObject({ state: "done", success: 200, error: 0 });
    await throttle.stop();
  });

  it("is not a throttle with too many who wait, or for too long: their records come back", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const crowded = { maxWaiters: 3, acquireTimeout: 300 };
    const throttle = createThrottle({ name: "g", max: 2, store, runtime, ...crowded });
    await throttle.start();
    await runtime.advance(1_000);
    const { pipeline } = listed(numbers(30), async (n) => n, { throttle, runtime, concurrency: 10, patience: 0 });
    expect(await through(runtime, pipeline.run())).toMatchObject({ state: "done", success: 30, error: 0 });
    await throttle.stop();
  });

  it("or a throttle that was stopped, ends the run at once", async () => {
    const { runtime, throttle, pipeline } = await world(10_000);
    await throttle.stop();
    await expect(through(runtime, pipeline.run())).rejects.toMatchObject({ code: "DT_STOPPED" });
  });
});
