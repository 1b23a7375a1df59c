import { Readable, Writable } from "node:stream";
import { createConcurrencyLimit, createGuard, fixed } from "@dt/adaptive";
import { createPacer, createThrottle, MemoryStore } from "@dt/core";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { type Ending, type Sink, type Source, throttled } from "../../src/index.ts";
import { gate, listed, numbers, through } from "./support.ts";

const double = async (n: number): Promise<number> => 2 * n;

describe("a source", () => {
  const web = (): ReadableStream<number> =>
    new ReadableStream({
      start(controller) {
        for (const n of [0, 1, 2]) controller.enqueue(n);
        controller.close();
      },
    });

  it.each<[string, () => Source<number>]>([
    ["an array", () => [0, 1, 2]],
    ["a set", () => new Set([0, 1, 2])],
    [
      "a generator",
      function* () {
        yield* [0, 1, 2];
      },
    ],
    ["an async generator", () => numbers(3)],
    ["a Readable of Node", () => Readable.from([0, 1, 2])],
    ["a ReadableStream", web],
  ])("may be %s", async (_, source) => {
    const { pipeline, texts } = listed(source(), double, { concurrency: 1 });
    expect(await pipeline.run()).toMatchObject({ state: "done", read: 3, success: 3, lowWater: 3, inflight: 0 });
    expect(texts()).toEqual(["0 -> 0", "1 -> 2", "2 -> 4"]);
  });

  it("may be empty", async () => {
    expect(await throttled([], double).run()).toMatchObject({ state: "done", read: 0 });
  });

  it("is read only as far as there is room: a slow output stops it", async () => {
    const source = numbers(1_000);
    const door = gate();
    const runtime = new VirtualRuntime();
    const pipeline = throttled(source, double, { success: () => door.promise, concurrency: 4, buffer: 3, runtime });
    const run = pipeline.run();
    await settle();
    // Four whose endings nobody takes, three in the buffer; one more is asked for only when there is room.
    expect(source.read).toBe(7);
    expect(pipeline.status()).toMatchObject({
      state: "running",
      read: 7,
      waiting: 3,
      inflight: 4,
      success: 0,
      lowWater: 0,
    });
    door.open();
    expect(await run).toMatchObject({ success: 1_000 });
  });

  it("that never waits leaves the rest of the process its turn", async () => {
    function* endless(): Generator<number> {
      for (let n = 0; ; n++) yield n;
    }
    const controller = new AbortController();
    // Would never be called if the promises of the records were all that the process comes to.
    setTimeout(() => controller.abort(), 5);
    const status = await throttled(endless(), double, { signal: controller.signal }).run();
    expect(status).toMatchObject({ state: "aborted", lowWater: status.success });
  });

  it("is known by its records' numbers, and the low-water mark is the first that has not ended", async () => {
    const slow = gate<number>();
    const pipeline = throttled(numbers(10), (n) => (n === 3 ? slow.promise : n), {
      concurrency: 2,
      runtime: new VirtualRuntime(),
    });
    const run = pipeline.run();
    await settle();
    expect(pipeline.status()).toMatchObject({ read: 10, success: 9, lowWater: 3, inflight: 1 });
    slow.open(0);
    expect(await run).toMatchObject({ lowWater: 10 });
  });
});

describe("the calls", () => {
  it("are at most as many at once as concurrency says", async () => {
    let now = 0;
    let most = 0;
    const call = async (): Promise<void> => {
      now += 1;
      most = Math.max(most, now);
      await settle();
      now -= 1;
    };
    await throttled(numbers(200), call, { concurrency: 7 }).run();
    expect(most).toBe(7);
  });

  it("pass a throttle, a pacer, a limit and an adaptive throttle together", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const throttle = createThrottle({ name: "g", max: 5, store, runtime });
    const pacer = createPacer({ name: "k", every: 100, store, runtime });
    const limit = createConcurrencyLimit({ algorithm: fixed(2), runtime });
    await throttle.start();
    await runtime.advance(1_000);
    const fromMs = runtime.now();
    const begun: number[] = [];
    let most = 0;
    const call = async (): Promise<void> => {
      begun.push(runtime.now() - fromMs);
      most = Math.max(most, limit.status().inflightCalls);
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 150));
    };
    const pipeline = throttled(numbers(20), call, { throttle, pacer, limit, runtime });
    expect(await through(runtime, pipeline.run())).toMatchObject({ success: 20 });
    for (let second = 0; second < 5; second++)
      expect(begun.filter((ms) => Math.floor(ms / 1_000) === second).length).toBeLessThanOrEqual(5);
    expect(most).toBe(2);
    expect([limit.status().inflightCalls, throttle.status().waiting, pacer.waiting]).toEqual([0, 0, 0]);
    await Promise.all([throttle.stop(), pacer.stop()]);
  });

  it("cost what the function says, and one that nothing can cost is an error of that record alone", async () => {
    const runtime = new VirtualRuntime();
    const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime });
    await throttle.start();
    await runtime.advance(1_000);
    let used = 0;
    throttle.on("grant", ({ tokens }) => {
      used += tokens;
    });
    const { pipeline, texts, endings } = listed([3, 11, 0.5, 4], async (n) => n, {
      throttle,
      cost: (n) => n,
      concurrency: 1,
      runtime,
    });
    await through(runtime, pipeline.run());
    expect(texts()).toEqual(["3 -> 3", "11 error", "0.5 error", "4 -> 4"]);
    expect(endings.map((ending) => (ending.kind === "error" ? ending.error.slice(0, 20) : ""))).toEqual([
      "",
      expect.stringContaining("11"),
      expect.stringContaining("0.5"),
      "",
    ]);
    expect(used).toBe(7);
    await throttle.stop();
  });

  it("stop for everybody when the callee says Retry-After, also in another pipeline with the same guard", async () => {
    const runtime = new VirtualRuntime();
    const guard = createGuard({ runtime });
    const begun: string[] = [];
    const call = (name: string) => async (n: number) => {
      begun.push(`${name}${n} ${runtime.now()}`);
      if (name === "a" && n === 0) return new Response(null, { status: 429, headers: { "Retry-After": "5" } });
      return new Response("ok");
    };
    const a = listed(numbers(2), call("a"), { guard, concurrency: 1, runtime });
    const b = throttled(numbers(2), call("b"), { guard, concurrency: 1, runtime });
    const first = a.pipeline.run();
    await settle();
    await through(runtime, Promise.all([first, b.run()]));
    expect(begun[0]).toBe("a0 0");
    expect(begun.slice(1).sort()).toEqual(["a1 5000", "b0 5000", "b1 5000"]);
    expect(a.endings[0]).toMatchObject({
      kind: "throttled",
      by: "callee",
      error: "Server returned HTTP response code: 429",
    });
    expect(guard.status()).toMatchObject({ state: "running", inflight: 0 });
  });

  it("are told which record it is, and on which attempt", async () => {
    const seen: unknown[] = [];
    await throttled(
      ["a", "b"],
      (input, { index, attempt, signal }) => void seen.push([input, index, attempt, signal.aborted]),
      {
        concurrency: 1,
      },
    ).run();
    expect(seen).toEqual([
      ["a", 0, 0, false],
      ["b", 1, 0, false],
    ]);
  });

  it("leave nothing of a record behind once it has ended", async () => {
    const records: WeakRef<object>[] = [];
    async function* source(): AsyncGenerator<{ n: number; payload: string }> {
      for (let n = 0; n < 3_000; n++) {
        const record = { n, payload: "x".repeat(100) };
        records.push(new WeakRef(record));
        yield record;
      }
    }
    const { setFlagsFromString } = await import("node:v8");
    const { runInNewContext } = await import("node:vm");
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    let alive = Number.NaN;
    const call = async ({ n }: { n: number }): Promise<void> => {
      if (n !== 2_999) return;
      // Everything before is over: what is reachable now would be reachable for ever.
      await settle();
      collect();
      alive = records.filter((record) => record.deref() !== undefined).length;
    };
    await throttled(source(), call, {
      signal: new AbortController().signal,
      rejected: "retry",
      order: ({ n }) => n % 9,
    }).run();
    expect(alive).toBeLessThan(100);
  });
});

describe("the outputs", () => {
  /** A sink that writes down what is done with it. */
  const sink = (log: string[], name: string): Sink<number, number> => ({
    open: async () => void log.push(`${name} opened`),
    write: (ending) => void log.push(`${name} ${ending.input}`),
    flush: async () => void log.push(`${name} flushed`),
    close: async () => void log.push(`${name} closed`),
  });
  const odd = async (n: number): Promise<number> => {
    if (n % 2 === 1) throw new Error("odd");
    return n;
  };

  it("are opened before anything is read, and closed when all is written", async () => {
    const log: string[] = [];
    function* source(): Generator<number> {
      log.push("read");
      yield* [0, 1, 2];
    }
    const outputs = { success: sink(log, "good"), error: sink(log, "bad") };
    await throttled(source(), odd, { ...outputs, concurrency: 1 }).run();
    expect(log).toEqual([
      "good opened",
      "bad opened",
      "read",
      "good 0",
      "bad 1",
      "good 2",
      "good closed",
      "bad closed",
    ]);
  });

  it("may be one for several kinds, which is then opened and closed once", async () => {
    const log: string[] = [];
    const both = sink(log, "all");
    await throttled([0, 1], odd, { success: both, error: both, concurrency: 1 }).run();
    expect(log).toEqual(["all opened", "all 0", "all 1", "all closed"]);
  });

  it("may be a stream for several kinds: it is ended once, when both are done with it", async () => {
    const lines: unknown[] = [];
    let ended = 0;
    let listeners = 0;
    const stream = new Writable({
      objectMode: true,
      write: (ending: Ending, _, next) => {
        lines.push(`${ending.kind} ${ending.input}`);
        listeners = stream.listenerCount("drain");
        next();
      },
      final: (next) => {
        ended += 1;
        next();
      },
    });
    await throttled([0, 1, 2], odd, { success: stream, error: stream, concurrency: 1 }).run();
    expect([lines, ended, listeners]).toEqual([["success 0", "error 1", "success 2"], 1, 1]);
  });

  it("may be left out: what ends there is only counted", async () => {
    expect(await throttled([0, 1, 2], odd).run()).toMatchObject({ success: 2, error: 1 });
  });
});

describe("a loop over the endings", () => {
  it("gets every one of them, beside the outputs", async () => {
    const written: number[] = [];
    const seen: Ending<number, number>[] = [];
    const pipeline = throttled(numbers(100), double, { success: ({ input }) => void written.push(input) });
    for await (const ending of pipeline) seen.push(ending);
    expect(seen.map(({ input }) => input).sort((a, b) => a - b)).toEqual([...Array(100).keys()]);
    expect(written).toHaveLength(100);
    expect(pipeline.status()).toMatchObject({ state: "done", success: 100 });
  });

  it("begins no more records than it takes", async () => {
    let begun = 0;
    const pipeline = throttled(numbers(100), async () => (begun += 1), {
      concurrency: 2,
      buffer: 1,
      runtime: new VirtualRuntime(),
    });
    const loop = pipeline[Symbol.asyncIterator]();
    await loop.next();
    await settle();
    expect(begun).toBe(2);
    await loop.next();
    await settle();
    expect(begun).toBe(3);
    await loop.return();
    expect(pipeline.status().state).toBe("aborted");
  });

  it("that is left ends the run in order: what it did not take is not done", async () => {
    const source = numbers(100);
    const pipeline = throttled(source, double, { concurrency: 3 });
    for await (const { index } of pipeline) if (index === 10) break;
    expect(pipeline.status()).toMatchObject({ state: "aborted", lowWater: 10, success: 10, inflight: 0 });
    expect(source.closed).toBe(true);
  });

  it("throws what the run fails with, after everything that ended", async () => {
    async function* source(): AsyncGenerator<number> {
      yield* [0, 1, 2];
      throw new Error("the disk is gone");
    }
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for await (const { input } of throttled(source(), double)) seen.push(input);
    };
    await expect(loop()).rejects.toThrow("the disk is gone");
    expect(seen).toEqual([0, 1, 2]);
  });
});
