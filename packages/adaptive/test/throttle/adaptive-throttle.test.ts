import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { isDtError } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type AdaptiveThrottle, type AdaptiveThrottleOptions, createAdaptiveThrottle } from "../../src/index.ts";
import { SlidingCounts } from "../../src/throttle/counts.ts";
import { LoopRuntime, play, sum } from "../support/demand.ts";

function made(options: AdaptiveThrottleOptions = {}, seed = 1): { throttle: AdaptiveThrottle; runtime: LoopRuntime } {
  const runtime = new LoopRuntime(seed);
  return { throttle: createAdaptiveThrottle({ runtime, ...options }), runtime };
}

describe("at ten times what the callee takes", () => {
  it.each([1, 2, 3, 4, 5])("seed %i: at most 1.2 times of it is sent, and 98 % of it is used", (seed) => {
    for (const capacity of [100, 640]) {
      const { throttle, runtime } = made({}, seed);
      const book = play({ capacity, rate: () => 10 * capacity, seconds: 70 }, runtime, () => throttle.tryAcquire());
      const { sent, taken } = sum(book, 10, 70);
      expect(sent / (60 * capacity)).toBeLessThanOrEqual(1.2);
      expect(taken / (60 * capacity)).toBeGreaterThanOrEqual(0.98);
    }
  });

  it.each([
    [20, 1.3, 0.97],
    [5, 1.4, 0.85],
  ])(
    "where that is only %i a second it counts roughly: at most %f times of it is sent, and %f of it is used",
    (capacity, most, least) => {
      for (const seed of [1, 2, 3]) {
        const { throttle, runtime } = made({}, seed);
        const book = play({ capacity, rate: () => 10 * capacity, seconds: 310 }, runtime, () => throttle.tryAcquire());
        const { sent, taken } = sum(book, 10, 310);
        expect(sent / (300 * capacity)).toBeLessThanOrEqual(most);
        expect(taken / (300 * capacity)).toBeGreaterThanOrEqual(least);
      }
    },
  );

  it("the SRE book's k = 2 with a window of two minutes sends twice the capacity", () => {
    const { throttle, runtime } = made({ k: 2, window: "2m" });
    const book = play({ capacity: 100, rate: () => 1_000, seconds: 300 }, runtime, () => throttle.tryAcquire());
    expect(sum(book, 150, 300).sent / 15_000).toBeCloseTo(2, 1);
  });
});

describe("an outage of 60 s", () => {
  it.each([
    [1, "overload"],
    [10, "overload"],
    [10, "failure"],
  ] as const)(
    "with demand of %i times the capacity (calls end with %s): at most 1 % is tried, and within 10 s of its end nine tenths are back",
    (times, down) => {
      const capacity = 200;
      for (const seed of [1, 2, 3, 4, 5]) {
        const { throttle, runtime } = made({}, seed);
        const up = (second: number): boolean => second < 30 || second >= 90;
        const rate = (): number => times * capacity;
        const book = play({ capacity, rate, up, down, seconds: 120 }, runtime, () => throttle.tryAcquire());
        const { sent, asked } = sum(book, 35, 90);
        expect(sent / asked).toBeLessThanOrEqual(0.01);
        expect(sent / asked).toBeGreaterThanOrEqual(0.005);
        expect(sum(book, 100, 120).taken / (20 * capacity)).toBeGreaterThanOrEqual(0.9);
      }
    },
  );
});

describe("a callee that is not overloaded", () => {
  it("is sent everything while fewer than half of its calls fail for other reasons", () => {
    const { throttle, runtime } = made();
    const taken = (chance: LoopRuntime) => (chance.random() < 0.4 ? ("failure" as const) : ("success" as const));
    const demand = { capacity: 1_000, rate: () => 200, seconds: 60, taken: taken as never };
    const { asked, sent } = sum(
      play(demand, runtime, () => throttle.tryAcquire()),
      0,
      60,
    );
    expect(sent / asked).toBeGreaterThan(0.98);
  });

  it("that takes ten seconds for each call is sent everything: calls count when they end", () => {
    const { throttle, runtime } = made();
    const demand = { capacity: 1_000, rate: () => 100, seconds: 60, latencyMs: 10_000 };
    const { asked, sent } = sum(
      play(demand, runtime, () => throttle.tryAcquire()),
      0,
      60,
    );
    expect(sent).toBe(asked);
  });

  it("is sent everything while fewer than ten calls were counted, whatever became of them", () => {
    const { throttle } = made();
    for (let n = 0; n < 9; n++) throttle.tryAcquire()?.overload();
    expect(throttle.status()).toMatchObject({ probability: 0, overloads: 9 });
    throttle.tryAcquire()?.overload();
    expect(throttle.status().probability).toBeCloseTo(10 / 11, 12);
  });

  it("forgets all of it after the long window", () => {
    const { throttle, runtime } = made();
    for (let n = 0; n < 10; n++) throttle.tryAcquire()?.overload();
    runtime.nowMs = 28_000;
    expect(throttle.status()).toMatchObject({ requests: 10 });
    runtime.nowMs = 30_001;
    expect(throttle.status()).toMatchObject({ requests: 0, probability: 0 });
  });
});

describe("a call", () => {
  it("is settled once, whatever is said later, and one that says nothing is ignored", () => {
    const { throttle } = made();
    const call = throttle.tryAcquire();
    call?.success();
    call?.overload();
    call?.settle("failure");
    {
      using ended = throttle.tryAcquire();
      expect(ended).toBeDefined();
      expect(throttle.status().inflight).toBe(1);
    }
    expect(throttle.status()).toMatchObject({ inflight: 0, requests: 1, successes: 1, overloads: 0, failures: 0 });
  });

  it("at least every two hundredth is made, and told of as a probe", () => {
    const { throttle } = made({ minRequests: 1 });
    for (let n = 0; n < 5_000; n++) throttle.tryAcquire()?.overload();
    let row = 0;
    let longest = 0;
    let probes = 0;
    throttle.on("probe", () => {
      probes += 1;
    });
    for (let n = 0; n < 20_000; n++) {
      const call = throttle.tryAcquire();
      call?.overload();
      row = call ? 0 : row + 1;
      longest = Math.max(longest, row);
    }
    expect(longest).toBe(199);
    expect(probes).toBeGreaterThan(90);
  });

  it("that is refused is told of on its channel, with the throttle's name", () => {
    const { throttle } = made({ name: "mail", minRequests: 1, probeRate: 0 });
    const heard: unknown[] = [];
    const listener = (message: unknown): void => void heard.push(message);
    subscribe("dt:adaptiveThrottle:reject", listener);
    throttle.tryAcquire()?.overload();
    // Until chance refuses one.
    for (let call = throttle.tryAcquire(); call !== undefined; call = throttle.tryAcquire()) call.ignored();
    unsubscribe("dt:adaptiveThrottle:reject", listener);
    expect(heard).toEqual([{ name: "mail", probability: 0.5 }]);
  });
});

describe("a wrapped function", () => {
  it("gives what it gave, throws what it threw, and is not called when refused", async () => {
    const { throttle } = made({ minRequests: 1, probeRate: 0 });
    let calls = 0;
    const get = throttle.wrap(async function get(this: unknown, status: number) {
      calls += 1;
      if (status >= 500) throw Object.assign(new Error("no"), { status });
      return new Response(null, { status });
    });
    expect(get.name).toBe("get");
    expect((await get(200)).status).toBe(200);
    await expect(get(500)).rejects.toThrow("no");
    expect((await get(429)).status).toBe(429);
    expect(throttle.status()).toMatchObject({ successes: 1, failures: 1, overloads: 1 });
    for (let n = 0; n < 100; n++) await get(429).catch(() => undefined);
    const { rejects, overloads } = throttle.status();
    expect(rejects).toBeGreaterThan(20);
    expect(calls).toBe(2 + overloads);
    const refused = await Promise.all(Array.from({ length: 100 }, () => get(429).catch((error: unknown) => error)));
    expect(refused.some((error) => isDtError(error, "DT_LIMITED"))).toBe(true);
  });

  it("whose classifier throws rejects with that error, and its call counts as ignored", async () => {
    const classify = (): never => {
      throw new Error("what is this?");
    };
    const { throttle } = made({ classify });
    await expect(throttle.wrap(async () => 1)()).rejects.toThrow("what is this?");
    expect(throttle.status()).toMatchObject({ inflight: 0, requests: 0 });
  });
});

/** One that refuses every call: nine of ten calls were refused by the callee, and chance always says no. */
function closed(): AdaptiveThrottle {
  const runtime = new LoopRuntime(1);
  runtime.random = () => 0;
  const throttle = createAdaptiveThrottle({ name: "search", runtime, minRequests: 1, probeRate: 0 });
  throttle.tryAcquire()?.overload();
  return throttle;
}

describe("a call that is refused", () => {
  it("rejects with DT_LIMITED and is not made; with skip it resolves to undefined", async () => {
    const throttle = closed();
    let made = 0;
    const call = (): number => ++made;
    await expect(throttle.run(call)).rejects.toMatchObject({
      code: "DT_LIMITED",
      message: "Throttled by Client. Request rejection probability: 0.5",
    });
    await expect(throttle.run(call, { whenLimited: "throw" })).rejects.toMatchObject({ code: "DT_LIMITED" });
    expect(await throttle.run(call, { whenLimited: "skip" })).toBeUndefined();
    expect(await throttle.wrap(call, { whenLimited: "skip" })()).toBeUndefined();
    expect([made, throttle.status().rejects]).toEqual([0, 4]);
  });

  it("has undefined in its type only with skip", () => {
    const { throttle } = made();
    expectTypeOf(throttle.wrap((n: number) => n)).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(throttle.wrap((n: number) => n, { whenLimited: "skip" })).returns.resolves.toEqualTypeOf<
      number | undefined
    >();
  });
});

describe("run", () => {
  it("hands the call over, and settles it by a rule of one's own", async () => {
    const { throttle } = made();
    expect(await throttle.run((call) => call.open, { classify: () => "failure" })).toBe(true);
    expect(throttle.status()).toMatchObject({ failures: 1, inflight: 0 });
  });

  it("takes no cost, no timeout and no way to wait", async () => {
    const { throttle } = made();
    const run = (options: object): Promise<unknown> => throttle.run(() => 1, options);
    await expect(run({ cost: 5 })).rejects.toMatchObject({
      code: "DT_INVALID_COST",
      message: /every call counts as one/,
    });
    await expect(run({ timeout: 5 })).rejects.toThrow("timeout: there is no such option");
    await expect(run({ whenLimited: "wait" })).rejects.toThrow('whenLimited is "wait"; give "throw" or "skip"');
    await expect(run({ classify: 1 })).rejects.toThrow("classify is 1");
    expect(() => throttle.tryAcquire(5 as never)).toThrow(/cost is 5; leave it out/);
    expect(throttle.status().requests).toBe(0);
  });
});

describe("the end of an adaptive throttle", () => {
  it("drains: new calls are refused, and it waits for those that were made", async () => {
    const throttle = createAdaptiveThrottle({ name: "search", runtime: new VirtualRuntime() });
    const call = throttle.tryAcquire();
    const drained = throttle.drain({ timeout: "1m" });
    expect(() => throttle.tryAcquire()).toThrow('the adaptive throttle "search" is being drained');
    expect(throttle.status().state).toBe("draining");
    call?.success();
    expect(await drained).toBe(true);
    expect(throttle.status().state).toBe("stopped");
  });

  it("stops at once, however often, and refuses every call from then on", async () => {
    const { throttle } = made({ name: "search" });
    const call = throttle.tryAcquire();
    await throttle.stop();
    await throttle[Symbol.asyncDispose]();
    expect(() => throttle.tryAcquire()).toThrow('the adaptive throttle "search" was stopped');
    await expect(throttle.run(() => 1, { whenLimited: "skip" })).rejects.toMatchObject({ code: "DT_STOPPED" });
    call?.success();
    expect(throttle.status()).toMatchObject({ inflight: 0, successes: 1 });
  });
});

describe("the options", () => {
  it.each<[AdaptiveThrottleOptions, RegExp]>([
    [{ k: 1 }, /k is 1; give a number above 1/],
    [{ k: Number.NaN }, /k is NaN/],
    [{ k: Number.POSITIVE_INFINITY }, /k is Infinity/],
    [{ window: 0 }, /window is 0; give at least 20 ms/],
    [{ window: "400d" }, /window is "400d"; give at most 366 days/],
    [{ window: "60s", longWindow: "30s" }, /longWindow is "30s"; give at least 60000 ms/],
    [{ reset: "1m", window: "1s" }, /window is "1s"; leave it out beside reset/],
    [{ probeRate: 0.5 }, /probeRate is 0.5; give a part of the calls from 0 to 0.01/],
    [{ minRequests: -1 }, /minRequests is -1/],
    [{ classify: "http" as never }, /classify is "http"; give a function/],
    [{ windw: 5 } as never, /did you mean window\?/],
  ])("refuses %o", (options, message) => {
    expect(() => createAdaptiveThrottle(options)).toThrow(message);
  });
});

describe("the counts of a sliding window", () => {
  it("are those of its last 20 parts, whatever the times", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 700 }), fc.constantFrom("successes", "rejects")), {
          maxLength: 300,
        }),
        (steps) => {
          const counts = new SlidingCounts(1_000);
          const all: { part: number; kind: string }[] = [];
          let nowMs = -5_000;
          for (const [passed, kind] of steps) {
            nowMs += passed;
            counts.advance(nowMs);
            counts.add(kind as "successes" | "rejects");
            const part = Math.floor(nowMs / 50);
            all.push({ part, kind });
            const inside = all.filter((one) => one.part > part - 20);
            expect(counts.total).toBe(inside.length);
            expect(counts.outcomes.rejects).toBe(inside.filter((one) => one.kind === "rejects").length);
          }
        },
      ),
    );
  });
});
