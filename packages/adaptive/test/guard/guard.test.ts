import { createPacer, type DtError, MemoryStore, type Pacer } from "@dt/core";
import { settle, VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import {
  createAdaptiveThrottle,
  createConcurrencyLimit,
  createGuard,
  fixed,
  type Guard,
  type Verdict,
} from "../../src/index.ts";
import { overload, startedThrottle, success, world } from "./world.ts";

describe("a pause", () => {
  it("that one call brings back holds everybody until its end, in the order they came", async () => {
    const { runtime, guard, log, passages, come } = world();
    come("a");
    await settle();
    passages[0]?.settle(overload(5_000));
    come("b");
    come("c");
    await runtime.advance(4_999);
    expect(log).toEqual(["a in 0"]);
    expect(guard.status()).toMatchObject({ pausedForMs: 1, waiting: 2, inflight: 0 });
    await runtime.advance(1);
    expect(log).toEqual(["a in 0", "b in 5000", "c in 5000"]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("is as long as the longest that was asked for, and never longer than maxPause", async () => {
    const { runtime, guard, log, come } = world(() => ({ maxPause: "10s" }));
    const heard: number[] = [];
    guard.on("paused", ({ forMs }) => heard.push(forMs));
    guard.pause("4s");
    guard.pause("1s");
    come("a");
    await runtime.advance(2_000);
    await expect(guard.acquire(1, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 2_000 });
    guard.pause(10 ** 10);
    await runtime.advance(9_999);
    expect(log).toEqual([]);
    await runtime.advance(1);
    expect(log).toEqual(["a in 12000"]);
    expect(heard).toEqual([4_000, 10_000]);
  });

  it("refuses a call with a shorter timeout at once", async () => {
    const { runtime, guard, log, come } = world();
    guard.pause(1_000);
    come("short", { timeout: 999 });
    come("long", { timeout: 1_000 });
    await runtime.advance(1_000);
    expect(log).toEqual(["short DT_TIMEOUT", "long in 1000"]);
  });

  it("refuses more waiters than maxWaiters, and those who have waited for acquireTimeout", async () => {
    const { runtime, guard, log, come } = world(() => ({ maxWaiters: 1, maxPause: "1s", acquireTimeout: "1500ms" }));
    guard.pause("1s");
    come("a");
    come("b");
    await runtime.advance(900);
    guard.pause("1s");
    await runtime.advance(600);
    expect(log).toEqual(["b DT_QUEUE_FULL", "a DT_TIMEOUT"]);
  });

  it("calls back those who wait for a slot, so that nobody goes out with one during it", async () => {
    const { runtime, log, passages, come } = world((runtime) => ({
      limit: createConcurrencyLimit({ algorithm: fixed(1), runtime }),
    }));
    come("a");
    come("b");
    await settle();
    passages[0]?.settle(overload(1_000));
    await runtime.advance(999);
    expect(log).toEqual(["a in 0"]);
    await runtime.advance(1);
    expect(log).toEqual(["a in 0", "b in 1000"]);
  });

  it("calls back those who wait for tokens: none is used while it lasts", async () => {
    const { runtime, guard, log, passages, come } = world();
    const { throttle, used } = await startedThrottle(runtime);
    const behind = createGuard({ throttle, runtime });
    for (let n = 0; n < 4; n++) void behind.acquire().then((passage) => passages.push(passage));
    await settle();
    expect(used()).toBe(2);
    behind.pause("3s");
    await runtime.advance(2_999);
    expect([used(), throttle.status().waiting]).toEqual([2, 0]);
    await runtime.advance(1);
    expect(used()).toBe(4);
    come("another guard is not paused");
    await settle();
    expect(log).toHaveLength(1);
    await guard.stop();
    await behind.stop();
    await throttle.stop();
  });

  it("that begins between the moment a wrapped call was let through and the call itself holds it all the same", async () => {
    const { runtime, guard } = world();
    const calls: string[] = [];
    const get = guard.wrap(async (name: string) => calls.push(name));
    const first = get("a");
    // Nothing was awaited since: the call was let through, and not made yet.
    guard.pause("1s");
    await settle();
    expect(calls).toEqual([]);
    await runtime.advance(1_000);
    await first;
    expect(calls).toEqual(["a"]);
    expect(guard.status()).toMatchObject({ inflight: 0, waiting: 0 });
  });
});

describe("a refusal that tells no time", () => {
  const refused = { outcome: "overload", refused: true } as const;

  /** Makes one call that ends so; the pause that follows, in milliseconds. */
  const ended = async (guard: Guard, verdict: Verdict): Promise<number> => {
    (await guard.acquire()).settle(verdict);
    return guard.status().pausedForMs;
  };

  it("pauses everybody for about a second, twice as long each time in a row, until a call succeeds", async () => {
    const { runtime, guard } = world();
    for (const [least, most] of [
      [1_000, 1_500],
      [2_000, 3_000],
      [4_000, 6_000],
    ] as const) {
      const ms = await ended(guard, refused);
      expect(ms).toBeGreaterThanOrEqual(least);
      expect(ms).toBeLessThanOrEqual(most);
      await runtime.advance(ms);
    }
    expect(await ended(guard, success)).toBe(0);
    await runtime.advance(1_000);
    expect(await ended(guard, refused)).toBeLessThanOrEqual(1_500);
  });

  it("is no longer than maxPause, and none where refusalPause is 0", async () => {
    expect(await ended(world(() => ({ maxPause: 50 })).guard, refused)).toBe(50);
    expect(await ended(world(() => ({ refusalPause: 0 })).guard, refused)).toBe(0);
    expect(await ended(world(() => ({ refusalPause: "10s" })).guard, refused)).toBeGreaterThanOrEqual(10_000);
  });

  it("is one, however many calls were under way together", async () => {
    const { runtime, guard } = world();
    const passages = await Promise.all(Array.from({ length: 10 }, () => guard.acquire()));
    await runtime.advance(10);
    for (const passage of passages) passage.settle(refused);
    expect(guard.status().pausedForMs).toBeLessThanOrEqual(1_500);
    await runtime.advance(1_500);
    expect(await ended(guard, refused)).toBeLessThanOrEqual(3_000);
  });

  it("pauses nobody while other calls succeed, nor does an overload that is no refusal", async () => {
    const { runtime, guard } = world();
    expect(await ended(guard, { outcome: "overload" })).toBe(0);
    expect(await ended(guard, success)).toBe(0);
    await runtime.advance(999);
    expect(await ended(guard, refused)).toBe(0);
    await runtime.advance(1);
    expect(await ended(guard, refused)).toBeGreaterThanOrEqual(1_000);
  });

  it("pauses nobody where a rejection sees to refusals", async () => {
    const { guard } = world((runtime) => ({ rejection: createAdaptiveThrottle({ runtime }) }));
    expect(await ended(guard, refused)).toBe(0);
  });

  it("is known by the usual classifier", async () => {
    const { guard } = world();
    await guard.run(() => ({ status: 429, headers: { "retry-after": "later" } }));
    expect(guard.status().pausedForMs).toBeGreaterThanOrEqual(1_000);
  });
});

describe("what a call passes", () => {
  it("is the slot first and the tokens last: a call that waits for a slot spends no token", async () => {
    const runtime = new VirtualRuntime();
    const { throttle, used } = await startedThrottle(runtime);
    const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime });
    const guard = createGuard({ throttle, limit, runtime });
    const first = await guard.acquire();
    const second = guard.acquire();
    await runtime.advance(5_000);
    expect(used()).toBe(1);
    first.settle(success);
    (await second).settle(success);
    expect(used()).toBe(2);
    await throttle.stop();
  });

  it("does not count the wait for tokens as time that the callee took", async () => {
    const runtime = new VirtualRuntime();
    const { throttle } = await startedThrottle(runtime, { max: 1 });
    const samples: number[] = [];
    const limit = createConcurrencyLimit({
      algorithm: { ...fixed(9), window: () => ({ minMs: 1, maxMs: 1, minSamples: 1, maxSamples: 1 }) },
      maxLag: 1,
      runtime,
    });
    limit.on("window", ({ window }) => samples.push(window.minMs));
    const guard = createGuard({ throttle, limit, runtime });
    (await guard.acquire()).settle({ outcome: "ignored" });
    const waiting = guard.acquire();
    await runtime.advance(1_000);
    const passage = await waiting;
    await runtime.advance(50);
    passage.settle(success);
    expect(samples.at(-1)).toBe(50);
    await throttle.stop();
  });

  it("does not make a limit grow for calls that wait for tokens", async () => {
    const runtime = new VirtualRuntime();
    const { throttle } = await startedThrottle(runtime, { max: 10 });
    const limit = createConcurrencyLimit({ runtime });
    const guard = createGuard({ throttle, limit, runtime });
    const began = limit.limit;
    let running = true;
    const one = async (): Promise<void> => {
      while (running) await guard.run(() => new Promise<void>((resolve) => void runtime.setTimer(resolve, 100)));
    };
    const all = Promise.allSettled(Array.from({ length: 300 }, one));
    await runtime.advance(60_000);
    expect(guard.status().calls.granted).toBeGreaterThan(590);
    expect(limit.limit).toBe(began);
    running = false;
    await guard.stop();
    await runtime.advance(200);
    await all;
    await throttle.stop();
  });

  it("is the pacer before the throttle: the throttle's limit holds, and whoever waited for that goes out when it grants", async () => {
    const runtime = new VirtualRuntime();
    const { throttle } = await startedThrottle(runtime, { max: 3 });
    const pacer = createPacer({ name: "k", every: 250, store: new MemoryStore({ runtime }), runtime });
    const guard = createGuard({ throttle, pacer, runtime });
    const fromMs = runtime.now();
    const out: number[] = [];
    for (let n = 0; n < 6; n++) void guard.acquire().then(() => out.push(runtime.now() - fromMs));
    await runtime.advance(2_000);
    expect(out).toEqual([0, 250, 500, 1_000, 1_000, 1_250]);
    await Promise.all([throttle.stop(), pacer.stop()]);
  });

  it("collects all the tokens that a call costs", async () => {
    const runtime = new VirtualRuntime();
    const { throttle, used } = await startedThrottle(runtime, { max: 4 });
    const guard = createGuard({ throttle, runtime });
    await guard.acquire(3);
    let out = false;
    void guard.acquire(3).then(() => {
      out = true;
    });
    await settle();
    expect([used(), out]).toEqual([4, false]);
    await runtime.advance(1_000);
    expect([used(), out]).toEqual([6, true]);
    await throttle.stop();
  });

  it("refuses what the callee would probably refuse, with the probability, and no slot or token is taken for it", async () => {
    const runtime = new VirtualRuntime();
    const rejection = createAdaptiveThrottle({ k: 2, reset: "1m", runtime });
    const limit = createConcurrencyLimit({ algorithm: fixed(9), runtime });
    const guard = createGuard({ rejection, limit, runtime });
    let error: DtError | undefined;
    for (let n = 0; n < 50 && !error; n++) {
      const before = rejection.status();
      try {
        (await guard.acquire()).settle(overload());
      } catch (thrown) {
        error = thrown as DtError;
        expect(error.message).toBe(`Throttled by Client. Request rejection probability: ${before.probability}`);
      }
    }
    expect(error?.code).toBe("DT_LIMITED");
    expect(limit.status().calls.granted).toBe(rejection.status().overloads);
    expect(rejection.status()).toMatchObject({ rejects: 1, inflight: 0 });
  });

  it("asks the rejection of the call instead of its own where one is given", async () => {
    const rejection = createAdaptiveThrottle({ minRequests: 1 });
    const guard = createGuard({ rejection });
    const own = createAdaptiveThrottle();
    (await guard.acquire(1, { rejection: own })).settle(success);
    expect([rejection.status().requests, own.status().requests]).toEqual([0, 1]);
  });
});

describe("a call that gives up", () => {
  it("while it waits for tokens leaves its slot, its permit and its count behind", async () => {
    const runtime = new VirtualRuntime();
    const { throttle } = await startedThrottle(runtime);
    const limit = createConcurrencyLimit({ algorithm: fixed(3), runtime });
    const rejection = createAdaptiveThrottle({ runtime });
    const guard = createGuard({ rejection, throttle, limit, runtime });
    const passages = [await guard.acquire(), await guard.acquire()];
    const controller = new AbortController();
    const aborted = guard.acquire(1, { signal: controller.signal }).catch((reason: unknown) => reason);
    await settle();
    expect(limit.status().inflightCalls).toBe(3);
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    expect(await guard.acquire(1, { signal: controller.signal }).catch((reason: unknown) => reason)).toBe("enough");
    expect(limit.status().inflightCalls).toBe(2);
    expect(throttle.status().waiting).toBe(0);
    expect(rejection.status()).toMatchObject({ inflight: 2, requests: 2 });
    expect(guard.status()).toMatchObject({ waiting: 0, inflight: 2 });
    for (const passage of passages) passage.settle(success);
    await throttle.stop();
  });

  it("has one timeout for everything that it waits for", async () => {
    const runtime = new VirtualRuntime();
    const { throttle } = await startedThrottle(runtime, { max: 1 });
    const guard = createGuard({ throttle, runtime });
    guard.pause(700);
    const first = guard.acquire(1, { timeout: 1_000 });
    const second = guard.acquire(1, { timeout: 1_000 });
    const end = (): number => runtime.now();
    const late = second.then(end, end);
    const fromMs = runtime.now();
    await runtime.advance(3_000);
    expect(await first).toBeDefined();
    // The next epoch begins at that very instant: whichever timer comes first, it is not later.
    expect(await late).toBe(fromMs + 1_000);
    await throttle.stop();
  });

  it("names its own time, also where a pause calls it back late and is too long for the rest of it", async () => {
    const { runtime, guard } = world((runtime) => ({
      runtime,
      limit: createConcurrencyLimit({ algorithm: fixed(1), runtime }),
    }));
    using _ = await guard.acquire();
    const late = guard.acquire(1, { timeout: "2s" }).catch((error: unknown) => error);
    await runtime.advance(1_500);
    guard.pause("10s");
    await runtime.advance(0);
    expect(await late).toMatchObject({ message: expect.stringContaining("within 2000 ms"), retryAfterMs: 10_000 });
  });

  it("while it waits for the end of a pause leaves that queue", async () => {
    const { guard, log, come } = world();
    guard.pause("1s");
    const controller = new AbortController();
    come("a", { signal: controller.signal });
    controller.abort("enough");
    await settle();
    expect(log).toEqual(["a enough"]);
    expect(guard.status().waiting).toBe(0);
  });

  it("because a part refuses it leaves nothing behind either", async () => {
    const runtime = new VirtualRuntime();
    const { throttle } = await startedThrottle(runtime);
    await throttle.stop();
    const limit = createConcurrencyLimit({ algorithm: fixed(3), runtime });
    const guard = createGuard({ throttle, limit, runtime });
    await expect(guard.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
    expect(limit.status().inflightCalls).toBe(0);
    expect(guard.status()).toMatchObject({ waiting: 0, inflight: 0 });
  });
});

describe("a passage", () => {
  it("is settled once, tells the limit and the rejection, and is ignored where nothing was said", async () => {
    const runtime = new VirtualRuntime();
    const rejection = createAdaptiveThrottle({ runtime });
    const limit = createConcurrencyLimit({ algorithm: fixed(3), runtime });
    const guard = createGuard({ rejection, limit, runtime });
    const passage = await guard.acquire();
    expect(() => passage.settle({ outcome: "good" as never })).toThrow(/outcome is "good"/);
    expect(() => passage.settle({ outcome: "success", retryAfterMs: -1 })).toThrow(/retryAfterMs/);
    expect(passage.open).toBe(true);
    passage.settle(success);
    passage.settle(overload(1_000));
    {
      using _ = await guard.acquire();
      expect(guard.status().inflight).toBe(1);
    }
    expect(rejection.status()).toMatchObject({ requests: 1, successes: 1, inflight: 0 });
    expect(limit.status().inflightCalls).toBe(0);
    expect(guard.status()).toMatchObject({ pausedForMs: 0, inflight: 0, calls: { granted: 2 } });
  });
});

describe("the end of a guard", () => {
  it("drains: newcomers are refused, those who wait are served, calls in flight end", async () => {
    const { runtime, guard, log, passages, come } = world();
    come("a");
    await settle();
    guard.pause("1s");
    come("b");
    const drained = guard.drain({ timeout: "5s" });
    come("c");
    await runtime.advance(1_000);
    expect(log).toEqual(["a in 0", "c DT_STOPPED", "b in 1000"]);
    expect(guard.status().state).toBe("draining");
    for (const passage of passages) passage.settle(success);
    expect(await drained).toBe(true);
    expect(guard.status().state).toBe("stopped");
    expect(runtime.pendingTimers).toBe(0);
  });

  it("stops: those who wait are refused wherever they wait, and the parts go on", async () => {
    const runtime = new VirtualRuntime();
    const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime });
    const guard = createGuard({ limit, runtime });
    const first = await guard.acquire();
    const codes: string[] = [];
    const note = (error: DtError): void => void codes.push(error.code);
    guard.acquire().catch(note);
    await settle();
    const drained = guard.drain({ timeout: "1s" });
    await guard.stop();
    expect(await drained).toBe(false);
    await settle();
    expect(codes).toEqual(["DT_STOPPED"]);
    first.settle(success);
    expect(limit.tryAcquire()).toBeDefined();
    const paused = createGuard({ runtime });
    paused.pause("1s");
    paused.acquire().catch(note);
    await settle();
    await paused[Symbol.asyncDispose]();
    await settle();
    expect(codes).toEqual(["DT_STOPPED", "DT_STOPPED"]);
  });
});

describe("options", () => {
  it("are refused with the option, the value and the remedy", async () => {
    const pacer = {} as Pacer;
    expect(() => createGuard({ pacer })).toThrow("pacer is an object; give what createPacer(...) makes");
    expect(() => createGuard({ maxPause: "soon" as never })).toThrow(/maxPause is "soon"/);
    expect(() => createGuard({ thorttle: 1 } as never)).toThrow(/did you mean throttle/);
    const guard: Guard = createGuard();
    await expect(guard.acquire(0)).rejects.toThrow(/cost is 0; give a number more than 0/);
    await expect(guard.acquire(1, { priority: 10 })).rejects.toThrow(/priority is 10/);
    await expect(guard.acquire({ cost: 5 } as never)).rejects.toThrow(/Options are the second argument/);
    await expect(guard.acquire(1, { classify: 1 } as never)).rejects.toThrow(/classify: there is no such option/);
    expect(() => guard.wrap(1 as never)).toThrow(/wrap is 1/);
    await expect(guard.run(1 as never)).rejects.toThrow(/call is 1/);
    expect(() => guard.pause(-1)).toThrow(/pause is -1/);
    expect(() => guard.on("pause" as never, () => undefined)).toThrow(/no such event/);
  });
});
