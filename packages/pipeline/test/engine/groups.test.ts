import { createAdaptiveThrottle } from "@dt/adaptive";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { gate, httpError, listed, numbers, through } from "./support.ts";

describe("groups", () => {
  it("have counters of their own: one that is refused does not keep the others from being called", async () => {
    const runtime = new VirtualRuntime();
    const call = async (n: number): Promise<string> => {
      if (n % 2 === 1) throw httpError(429);
      return "ok";
    };
    const { pipeline, endings } = listed(numbers(2_000), call, { groups: (n) => n % 2, concurrency: 1, runtime });
    const status = await pipeline.run();
    expect(status).toMatchObject({ success: 1_000, error: 0 });
    expect(status.throttledByClient).toBeGreaterThan(800);
    for (const ending of endings) if (ending.kind === "throttled") expect(ending.input % 2).toBe(1);
  });

  it("share the counters of an adaptive throttle that was given, and have none with rejection: false", async () => {
    const runtime = new VirtualRuntime();
    const refused = async (): Promise<never> => {
      throw httpError(429);
    };
    const rejection = createAdaptiveThrottle({ k: 2, reset: "1m", runtime });
    const shared = listed(numbers(500), refused, { groups: 5, rejection, concurrency: 1 });
    const status = await shared.pipeline.run();
    expect(rejection.status().requests).toBe(500);
    expect(status.throttledByClient).toBe(rejection.status().rejects);
    const without = listed(numbers(500), refused, { groups: 5, rejection: false, refusalPause: 0 });
    expect(await without.pipeline.run()).toMatchObject({ throttledByClient: 0, throttledByCallee: 500 });
  });

  it("are dealt at random, and each gets its part", async () => {
    const runtime = new VirtualRuntime({ seed: 11 });
    const door = gate();
    const { pipeline } = listed(numbers(400), () => door.promise, { groups: 8, concurrency: 400, runtime });
    const run = pipeline.run();
    await settle();
    expect(pipeline.status().groups).toBe(8);
    door.open();
    await run;
  });

  it("take turns: one with a thousand records in hand does not keep another one waiting", async () => {
    const order: number[] = [];
    const records = [...Array(1_000).fill(0), 1, 1, 1];
    const { pipeline } = listed(records, (n) => void order.push(n), {
      groups: (n) => n,
      interval: "1s",
      buffer: 2_000,
      concurrency: 1,
    });
    await pipeline.run();
    expect(order.slice(0, 6)).toEqual([0, 1, 0, 1, 0, 1]);
    expect(order).toHaveLength(1_003);
  });

  it("without records are forgotten when there are many, those that were used longest ago first", async () => {
    const { pipeline } = listed(numbers(1_100), (n) => n, { groups: (n) => n, concurrency: 3 });
    await pipeline.run();
    expect(pipeline.status().groups).toBe(1_000);
    const bare = listed(numbers(100), (n) => n, { groups: (n) => n, rejection: false });
    await bare.pipeline.run();
    expect(bare.pipeline.status().groups).toBe(0);
  });
});

describe("an interval", () => {
  it("holds the records of a group from the first on, and lets them go together", async () => {
    const runtime = new VirtualRuntime();
    const begun: string[] = [];
    async function* source(): AsyncGenerator<string> {
      for (const name of ["a1", "b1", "a2", "b2", "a3"]) {
        yield name;
        await new Promise<void>((resolve) => void runtime.setTimer(resolve, 400));
      }
      await new Promise<void>((resolve) => void runtime.setTimer(resolve, 10_000));
    }
    const { pipeline } = listed(source(), (name) => void begun.push(`${name} ${runtime.now()}`), {
      groups: (name) => name[0],
      interval: "1s",
      runtime,
    });
    await through(runtime, pipeline.run());
    expect(begun).toEqual(["a1 1000", "a2 1000", "b1 1400", "b2 1400", "a3 2600"]);
  });

  it("is cut short at the end of the source", async () => {
    const { pipeline } = listed(numbers(10), (n) => n, { interval: "1h" });
    expect(await pipeline.run()).toMatchObject({ success: 10 });
  });

  it("holds at most as many records as the buffer: the source waits meanwhile", async () => {
    const runtime = new VirtualRuntime();
    const source = numbers(1_000);
    const { pipeline } = listed(source, (n) => n, { interval: "1s", buffer: 50, runtime });
    const run = pipeline.run();
    await settle();
    expect([source.read, pipeline.status().waiting]).toEqual([50, 50]);
    await runtime.advance(1_000);
    expect([source.read, pipeline.status().success]).toEqual([100, 50]);
    expect(await through(runtime, run)).toMatchObject({ success: 1_000 });
    expect(runtime.now()).toBe(20_000);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("leaves no timer behind when the run is aborted", async () => {
    const runtime = new VirtualRuntime();
    const controller = new AbortController();
    const { pipeline } = listed(numbers(9), (n) => n, {
      interval: "1s",
      buffer: 5,
      signal: controller.signal,
      runtime,
    });
    const run = pipeline.run();
    await settle();
    controller.abort();
    expect(await run).toMatchObject({ state: "aborted", success: 0, lowWater: 0 });
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("order", () => {
  /** Calls that end when they are told to, and what they are under way with. */
  function calls() {
    const doors = new Map<string, ReturnType<typeof gate<void>>>();
    const call = async (name: string): Promise<void> => {
      const door = gate();
      doors.set(name, door);
      await door.promise;
      doors.delete(name);
    };
    const end = async (name: string): Promise<void> => {
      doors.get(name)?.open();
      await settle();
    };
    return { call, end, underWay: () => [...doors.keys()].join(" ") };
  }

  it("is kept for the records of a key, while other keys go on", async () => {
    const { call, end, underWay } = calls();
    const { pipeline } = listed(["a1", "a2", "b1", "a3", "b2"], call, { order: (name) => name[0], concurrency: 4 });
    const run = pipeline.run();
    await settle();
    expect(underWay()).toBe("a1 b1");
    await end("b1");
    expect(underWay()).toBe("a1 b2");
    await end("a1");
    expect(underWay()).toBe("b2 a2");
    await end("a2");
    await end("b2");
    await end("a3");
    expect(await run).toMatchObject({ success: 5, lowWater: 5 });
  });

  it("waits until the ending of the one before was taken by its output", async () => {
    const { call, end, underWay } = calls();
    const written = gate();
    const { pipeline } = listed(["a1", "a2"], call, { order: (name) => name[0], success: () => written.promise });
    const run = pipeline.run();
    await settle();
    await end("a1");
    expect(underWay()).toBe("");
    written.open();
    await settle();
    expect(underWay()).toBe("a2");
    await end("a2");
    await run;
  });

  it("is kept across tries: a record that is tried again holds back the ones behind it", async () => {
    const runtime = new VirtualRuntime({ seed: 2 });
    const rejection = createAdaptiveThrottle({ k: 1.5, reset: "10s", runtime });
    for (let n = 0; n < 20; n++) rejection.tryAcquire()?.overload();
    const done: string[] = [];
    const names = Array.from({ length: 60 }, (_, n) => `${"abc"[n % 3]}${Math.floor(n / 3)}`);
    const { pipeline, endings } = listed(names, async (name) => void done.push(name), {
      order: (name) => name[0],
      rejection,
      rejected: { retry: { retries: 100, baseDelay: "1s", maxDelay: "5s", ratio: 1 } },
      runtime,
    });
    const status = await through(runtime, pipeline.run());
    expect(status.retries).toBeGreaterThan(0);
    for (const key of "abc") {
      const of = endings.map(({ input }) => input).filter((name) => name.startsWith(key));
      expect(of).toEqual(names.filter((name) => name.startsWith(key)));
    }
    expect(status).toMatchObject({ success: 60 });
  });

  it("is kept with an interval and with groups at random: records of a key are of one group", async () => {
    const runtime = new VirtualRuntime({ seed: 4 });
    async function* source(): AsyncGenerator<number> {
      for (let n = 0; n < 300; n++) {
        yield n;
        await new Promise<void>((resolve) => void runtime.setTimer(resolve, 30));
      }
    }
    const { pipeline, endings } = listed(
      source(),
      () => new Promise<void>((resolve) => void runtime.setTimer(resolve, 1 + Math.floor(runtime.random() * 50))),
      { order: (n) => n % 7, groups: 5, interval: "500ms", runtime },
    );
    await through(runtime, pipeline.run());
    expect(endings).toHaveLength(300);
    for (let key = 0; key < 7; key++) {
      const of = endings.map(({ input }) => input).filter((n) => n % 7 === key);
      expect(of).toEqual(of.toSorted((a, b) => a - b));
    }
  });

  it("of one slow key fills the buffer and no more", async () => {
    const source = numbers(1_000);
    const door = gate();
    const { pipeline } = listed(source, () => door.promise, { order: () => "one", buffer: 20 });
    const run = pipeline.run();
    await settle();
    expect(pipeline.status()).toMatchObject({ inflight: 1, waiting: 20, read: 21 });
    door.open();
    expect(await run).toMatchObject({ success: 1_000 });
  });
});
