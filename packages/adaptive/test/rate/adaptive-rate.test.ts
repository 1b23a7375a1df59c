import { spawn } from "node:child_process";
import { once } from "node:events";
import { createThrottle, isDtError, MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { type AdaptiveRate, type AdaptiveRateOptions, createAdaptiveRate } from "../../src/index.ts";
import { LoopRuntime, play, sum } from "../support/demand.ts";

function made(options: AdaptiveRateOptions = {}): { rate: AdaptiveRate; runtime: VirtualRuntime } {
  const runtime = new VirtualRuntime();
  return { rate: createAdaptiveRate({ runtime, ...options }), runtime };
}

/** One that learned 7 a second: 10 a second were sent, and then one was refused. */
async function learned(options: AdaptiveRateOptions = {}): Promise<{ rate: AdaptiveRate; runtime: VirtualRuntime }> {
  const world = made(options);
  for (let n = 0; n < 30; n++) {
    await world.runtime.advance(100);
    world.rate.tryAcquire()?.success();
  }
  world.rate.tryAcquire()?.overload();
  return world;
}

describe("an adaptive rate", () => {
  it("holds nothing back before the first refusal, and 0.7 of what was sent afterwards", async () => {
    const { rate, runtime } = made();
    const heard: object[] = [];
    rate.on("lowered", (event) => heard.push(event));
    for (let n = 0; n < 1_000; n++) rate.tryAcquire()?.success();
    expect(rate.status()).toMatchObject({ rate: Number.POSITIVE_INFINITY, waiting: 0 });
    await runtime.advance(5_000);
    for (let n = 0; n < 50; n++) {
      await runtime.advance(100);
      rate.tryAcquire()?.failure();
    }
    rate.tryAcquire()?.overload();
    expect(rate.status().rate).toBeCloseTo(7, 1);
    expect(heard).toEqual([{ rate: rate.status().rate, before: Number.POSITIVE_INFINITY }]);
  });

  it("that is refused in its first moments falls to 0.7 of what was sent in them, not to nothing", () => {
    const { rate } = made();
    for (let n = 0; n < 99; n++) rate.tryAcquire()?.success();
    rate.tryAcquire()?.overload();
    // A hundred in half a second at most.
    expect(rate.status().rate).toBeCloseTo(140, 6);
  });

  it("is lowered once by all refusals of calls that went out before", async () => {
    const { rate, runtime } = await learned();
    await runtime.advance(2_000);
    const calls = [1, 2, 3, 4, 5].map(() => rate.tryAcquire());
    let lowered = 0;
    rate.on("lowered", () => {
      lowered += 1;
    });
    await runtime.advance(10);
    for (const call of calls) call?.overload();
    expect(calls.every(Boolean)).toBe(true);
    expect(lowered).toBe(1);
  });

  it("lets callers through in order at the rate it has learned, and an abort or a timeout loses no turn", async () => {
    const { rate, runtime } = await learned({ growth: { type: "aimd", increase: 1e-9 } });
    while (rate.tryAcquire()) {
      // What may come at once.
    }
    const order: (number | string)[] = [];
    const aborted = new AbortController();
    const calls = [
      rate.acquire().then(() => order.push(0)),
      rate.acquire(1, { timeout: 50 }).catch((error) => order.push(error.code)),
      rate.acquire(1, { signal: aborted.signal }).catch((error) => order.push(error.message)),
      rate.acquire().then(() => order.push(1)),
      rate.acquire().then(() => order.push(2)),
    ];
    aborted.abort(new Error("given up"));
    await runtime.advance(0);
    expect(rate.status().waiting).toBe(4);
    await runtime.advance(3_000 / rate.status().rate);
    await Promise.all(calls);
    expect(order).toEqual(["given up", "DT_TIMEOUT", 0, 1, 2]);
    await expect(rate.acquire(1, { timeout: 0 })).rejects.toMatchObject({
      code: "DT_TIMEOUT",
      retryAfterMs: expect.closeTo(1_000 / rate.status().rate, 6),
    });
  });

  it("refuses more than maxWaiters, whoever waits too long, and everybody once stopped", async () => {
    const { rate, runtime } = await learned({ maxWaiters: 1, acquireTimeout: 20, min: 0.5 });
    while (rate.tryAcquire()) {
      // What may come at once.
    }
    const waits = rate.acquire().catch((error: unknown) => error);
    await runtime.advance(0);
    await expect(rate.acquire()).rejects.toSatisfy((error) => isDtError(error, "DT_QUEUE_FULL"));
    await runtime.advance(20);
    expect(isDtError(await waits, "DT_TIMEOUT")).toBe(true);
    // Nobody waits, so no timer keeps the process running.
    expect(runtime.pendingTimers).toBe(0);
    const stopped = rate.acquire().catch((error: unknown) => error);
    await runtime.advance(0);
    await rate.stop();
    expect(isDtError(await stopped, "DT_STOPPED")).toBe(true);
    expect(() => rate.tryAcquire()).toThrow('the adaptive rate "default" was stopped');
    await expect(rate.acquire()).rejects.toSatisfy((error) => isDtError(error, "DT_STOPPED"));
    expect(runtime.pendingTimers).toBe(0);
  });
});

describe("a call that counts for several", () => {
  it("waits for all of them, so that the rate holds, and is not passed by others of its priority", async () => {
    const { rate, runtime } = await learned({ growth: { type: "aimd", increase: 1e-9 } });
    while (rate.tryAcquire()) {
      // What may come at once.
    }
    const startMs = runtime.now();
    const out: string[] = [];
    const come = (name: string, cost: number, priority = 0): void =>
      void rate.acquire(cost, { priority }).then(() => out.push(`${name} ${Math.round(runtime.now() - startMs)}`));
    come("five", 5);
    come("one", 1);
    come("urgent", 1, 9);
    await runtime.advance(2_100);
    // Seven a second: one after 143 ms, five more after another 714 ms, one more after another 143 ms.
    expect(out).toEqual(["urgent 143", "five 857", "one 1000"]);
    expect(rate.tryAcquire(8)).toBeDefined();
    expect(rate.tryAcquire()).toBeUndefined();
  });

  it("is refused where it makes no sense", async () => {
    const { rate } = made();
    for (const cost of [0, 1.5, "5", { cost: 5 }, null] as never[]) {
      await expect(rate.acquire(cost)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
      await expect(rate.run(() => 1, { cost })).rejects.toMatchObject({ code: "DT_INVALID_COST" });
      expect(() => rate.tryAcquire(cost)).toThrow(/cost is .*; give a whole number of at least 1/);
    }
    expect(rate.status().inflight).toBe(0);
  });
});

describe("a call that is not let through", () => {
  it("rejects with the rest of a pause, and resolves to undefined only with skip", async () => {
    const { rate, runtime } = made();
    let calls = 0;
    const call = (): number => ++calls;
    rate.pause("5s");
    await expect(rate.run(call, { whenLimited: "throw" })).rejects.toMatchObject({
      code: "DT_LIMITED",
      retryAfterMs: 5_000,
    });
    expect(await rate.run(call, { whenLimited: "skip" })).toBeUndefined();
    const skipped = rate.wrap(call, { whenLimited: "skip", timeout: "1s" })();
    const late = rate.run(call, { timeout: "1s" }).catch((error) => error.code);
    await runtime.advance(1_000);
    expect([await skipped, await late, calls]).toEqual([undefined, "DT_TIMEOUT", 0]);
  });
});

describe("the end of a rate", () => {
  it("drains: new callers are refused, those that wait are served, and calls are reported", async () => {
    const { rate, runtime } = made();
    rate.pause("1s");
    const waiting = rate.acquire();
    const drained = rate.drain({ timeout: "1m" });
    await expect(rate.acquire()).rejects.toMatchObject({ code: "DT_STOPPED", message: /is being drained/ });
    await runtime.advance(1_000);
    const call = await waiting;
    expect(rate.status()).toMatchObject({ state: "draining", waiting: 0, inflight: 1 });
    call.success();
    expect(await drained).toBe(true);
    expect(rate.status().state).toBe("stopped");
  });
});

describe("a rate that was stopped", () => {
  it("lets nothing through, while its throttle goes on without the cap", async () => {
    const runtime = new VirtualRuntime();
    const throttle = createThrottle({ name: "g", max: 10, store: new MemoryStore({ runtime }), runtime });
    await throttle.start();
    await runtime.advance(5_000);
    const rate = createAdaptiveRate({ throttle, runtime });
    rate.pause("1m");
    expect(throttle.tryAcquire()).toBe(false);
    const waiting = rate.acquire().catch((error: unknown) => error);
    await rate.stop();
    expect(await waiting).toMatchObject({ code: "DT_STOPPED", message: /the adaptive rate "default" was stopped/ });
    expect(() => rate.tryAcquire()).toThrow(/was stopped/);
    await expect(rate.acquire()).rejects.toSatisfy((error) => isDtError(error, "DT_STOPPED"));
    await runtime.advance(1_000);
    expect(throttle.tryAcquire(1)).toBe(true);
    await throttle.stop();
  });
});

describe("a callee that asks to be left alone", () => {
  it("keeps no process running that has nothing more to send", async () => {
    const bootstrap = new URL("../../../../tooling/bootstrap/src/from-sources.ts", import.meta.url).href;
    const program = `
      import { createAdaptiveRate } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
      createAdaptiveRate().pause("1m");
    `;
    const child = spawn(process.execPath, ["--import", bootstrap, "--input-type=module", "-e", program], {
      stdio: ["ignore", "inherit", "inherit"],
      timeout: 30_000,
    });
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("is, for as long as it asked: a wrapped call reads Retry-After", async () => {
    const { rate, runtime } = made();
    const paused: object[] = [];
    rate.on("paused", (event) => paused.push(event));
    let status = 429;
    const get = rate.wrap(
      async () => new Response(null, { status, headers: status === 429 ? { "retry-after": "7" } : {} }),
    );
    expect((await get()).status).toBe(429);
    expect(paused).toEqual([{ forMs: 7_000 }]);
    status = 200;
    const waits = get();
    await runtime.advance(6_999);
    expect(rate.status()).toMatchObject({ waiting: 1, pausedForMs: 1 });
    await runtime.advance(2_001);
    expect((await waits).status).toBe(200);
  });

  it("for years is left alone for maxPause, and not for no time at all", async () => {
    const { rate, runtime } = made({ maxPause: "40d" });
    const get = rate.wrap(async () => new Response(null, { status: 503, headers: { "retry-after": "99999999999" } }));
    await get();
    expect(rate.status().pausedForMs).toBe(40 * 86_400_000);
    rate.pause("1s");
    await runtime.advance(39 * 86_400_000);
    expect(rate.tryAcquire()).toBeUndefined();
    await runtime.advance(86_400_000 + 2_000);
    expect(rate.tryAcquire()).toBeDefined();
  });

  it("for 40 days by the real clock is not called at once, as it would be by a timer that holds 24", async () => {
    const rate = createAdaptiveRate({ maxPause: "40d" });
    rate.pause("40d");
    const timeout = 30;
    await expect(rate.acquire(1, { timeout })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    await rate.stop();
  });
});

describe("ten times what the callee takes", () => {
  it.each(["cubic", "aimd"] as const)(
    "with %s, at most 1.1 times of it is sent; after an outage it is back within ten seconds",
    (growth) => {
      for (const seed of [1, 2, 3]) {
        const runtime = new LoopRuntime(seed);
        const option = growth === "aimd" ? ({ type: growth, increase: 10 } as const) : growth;
        const rate = createAdaptiveRate({ runtime, growth: option });
        const up = (second: number): boolean => second < 60 || second >= 120;
        const book = play({ capacity: 100, rate: () => 1_000, up, seconds: 160 }, runtime, () => rate.tryAcquire());
        const steady = sum(book, 10, 60);
        expect(steady.sent / 5_000).toBeLessThanOrEqual(1.1);
        expect(steady.taken / 5_000).toBeGreaterThanOrEqual(growth === "aimd" ? 0.9 : 0.98);
        const out = sum(book, 70, 120);
        expect(out.sent / out.asked).toBeLessThanOrEqual(0.01);
        expect(sum(book, 130, 160).taken / 3_000).toBeGreaterThanOrEqual(0.9);
      }
    },
  );
});

describe("the options", () => {
  it.each<[AdaptiveRateOptions, RegExp]>([
    [{ beta: 1 }, /beta is 1; give a number between 0 and 1/],
    [{ beta: Number.NaN }, /beta is NaN/],
    [{ min: 0 }, /min is 0; give a count and a time that are more than 0/],
    [{ min: Number.POSITIVE_INFINITY }, /min is Infinity/],
    [{ growth: "linear" as never }, /growth is "linear"; give "cubic" or "aimd"/],
    [{ growth: { type: "cubic" } as never }, /growth.scale is undefined/],
    [{ growth: { type: "aimd", increase: -1 } }, /growth.increase is -1/],
    [{ growth: { type: "cubic", increase: 1 } as never }, /growth.increase: there is no such option/],
    [{ throttle: {} as never }, /throttle is an object; give what createThrottle/],
    [{ maxPause: "forever" as never }, /maxPause is "forever"/],
    [{ acquireTimeout: 0 }, /acquireTimeout is 0/],
  ])("refuses %o", (options, message) => {
    expect(() => createAdaptiveRate(options)).toThrow(message);
  });
});
