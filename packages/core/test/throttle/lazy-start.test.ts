import { describe, expect, it } from "vitest";
import { createThrottle, DtError, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

/** A store that can be out of reach, and counts the calls that reach for it. */
class Reachable extends MemoryStore {
  down = false;
  calls = 0;

  override async register(...args: Parameters<MemoryStore["register"]>): ReturnType<MemoryStore["register"]> {
    this.calls += 1;
    if (this.down) throw new DtError("DT_STORE_UNAVAILABLE", "the store is down");
    return super.register(...args);
  }
}

function world(options: Partial<ThrottleOptions> = {}) {
  const runtime = new VirtualRuntime({ startMs: 5_000_000 });
  const store = new Reachable({ runtime });
  const throttle = createThrottle({ name: "g", max: 10, store, runtime, ...options });
  return { runtime, store, throttle };
}

describe("the first call starts a throttle:", () => {
  it.each<[string, (throttle: Throttle) => Promise<unknown>, unknown]>([
    ["acquire", (throttle) => throttle.acquire(), undefined],
    ["acquireUpTo", (throttle) => throttle.acquireUpTo(3), 3],
    ["acquireGrant", (throttle) => throttle.acquireGrant(2).then(({ tokens }) => tokens), 2],
    ["run", (throttle) => throttle.run(() => "made"), "made"],
    ["run that throws", (throttle) => throttle.run(() => "made", { whenLimited: "throw" }), "made"],
    ["run that skips", (throttle) => throttle.run(() => "made", { whenLimited: "skip" }), "made"],
    ["a wrapped call", (throttle) => throttle.wrap(async () => "made")(), "made"],
    ["batches", (throttle) => throttle.batches(["a"]).next(), { done: false, value: ["a"] }],
  ])("%s", async (_, call, answer) => {
    const { runtime, throttle } = world();
    const called = call(throttle);
    await runtime.advance(3_000);
    expect(await called).toEqual(answer);
    await throttle.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("many at once make one start", async () => {
    const { runtime, store, throttle } = world();
    const all = Promise.all([...Array.from({ length: 8 }, () => throttle.acquire()), throttle.start()]);
    await runtime.advance(2_000);
    await all;
    expect(store.calls).toBe(1);
    await throttle.stop();
  });

  it("nothing else does", async () => {
    const { runtime, store, throttle } = world();
    throttle.wrap(async () => 1);
    throttle.status();
    throttle.on("grant", () => undefined);
    throttle.update({ max: 5 });
    throttle.cap(2);
    throttle.cap();
    await runtime.advance(60_000);
    expect([store.calls, throttle.status().state]).toEqual([0, "idle"]);
    expect(await throttle.drain()).toBe(true);
    await throttle.stop();
    expect([store.calls, runtime.pendingTimers]).toEqual([0, 0]);
  });
});

describe("a call that waits for the start", () => {
  it("waits for as long as it may, and says so", async () => {
    const { runtime, store, throttle } = world();
    store.down = true;
    const late = throttle.acquire(2, { timeout: 300 }).catch((error: unknown) => error);
    const limited = throttle.run(() => 1, { whenLimited: "throw", timeout: 200 }).catch((error: unknown) => error);
    const skipped = throttle.run(() => 1, { whenLimited: "skip", timeout: 250 });
    await expect(throttle.acquire(1, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    await runtime.advance(300);
    expect(await limited).toMatchObject({ code: "DT_TIMEOUT" });
    expect(await skipped).toBeUndefined();
    expect(await late).toMatchObject({
      code: "DT_TIMEOUT",
      message: expect.stringMatching(
        /^2 tokens .* within 300 ms: the throttle has not joined its group yet; .*is down/,
      ),
    });
    expect(throttle.status()).toMatchObject({ state: "starting", waiting: 0, blockedBy: { reason: "starting" } });
    await throttle.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("ends with its signal", async () => {
    const { runtime, store, throttle } = world();
    store.down = true;
    const abort = new AbortController();
    const options = { signal: abort.signal };
    const waiting = [throttle.acquire(1, options), throttle.run(() => 1, { ...options, whenLimited: "skip" })];
    const ended = Promise.all(waiting.map((call) => call.catch((error: unknown) => error)));
    await settle();
    abort.abort("enough");
    expect(await ended).toEqual(["enough", "enough"]);
    expect(throttle.status().state).toBe("starting");
    await throttle.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("is rejected when the start fails, with its error; the next call starts again", async () => {
    const { runtime, store, throttle } = world();
    store.down = true;
    const failed = [throttle.acquire(), throttle.run(() => 1, { whenLimited: "throw" })];
    const errors = Promise.all(failed.map((call) => call.catch((error: unknown) => error)));
    await runtime.advance(21_000);
    for (const error of await errors)
      expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", message: expect.stringContaining("did not start") });
    expect(throttle.status().state).toBe("idle");
    store.down = false;
    const again = throttle.acquire();
    await runtime.advance(2_000);
    await again;
    await throttle.stop();
  });

  it("does not wait for longer than a start of its own would, where another one tries for longer", async () => {
    const { runtime, store, throttle } = world();
    store.down = true;
    const start = throttle.start({ timeout: "1m" }).catch(({ code }: DtError) => code);
    const skipped = throttle.run(() => 1, { whenLimited: "skip" });
    const limited = throttle.run(() => 1, { whenLimited: "throw" }).catch((error: unknown) => error);
    await runtime.advance(20_000);
    expect(await skipped).toBeUndefined();
    expect(await limited).toMatchObject({ code: "DT_LIMITED", message: expect.stringContaining("has not joined") });
    await throttle.stop();
    expect(await start).toBe("DT_STOPPED");
  });

  it("that is stopped meanwhile is refused", async () => {
    const { throttle, store } = world();
    store.down = true;
    const calls = [throttle.acquire(), throttle.run(() => 1, { whenLimited: "throw" })];
    const errors = Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    await throttle.stop();
    expect(await errors).toMatchObject([{ code: "DT_STOPPED" }, { code: "DT_STOPPED" }]);
    expect(throttle.status().lastError?.code).not.toBe("DT_STOPPED");
  });
});

describe("tryAcquire", () => {
  it("answers no until the throttle has started, which it begins", async () => {
    const { runtime, throttle } = world();
    expect([throttle.tryAcquire(), throttle.tryAcquireUpTo(5), throttle.tryAcquireGrant()]).toEqual([
      false,
      0,
      undefined,
    ]);
    await runtime.advance(2_000);
    expect(throttle.tryAcquire(10)).toBe(true);
    await throttle.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("starts again in the background with growing pauses, tells of each failure, and keeps no process running", async () => {
    const { runtime, store, throttle } = world();
    const keptAlive: unknown[] = [];
    const set = runtime.setTimer.bind(runtime);
    runtime.setTimer = (callback, delayMs, options?: { readonly keepAlive?: boolean }) => {
      // Calls to the store have deadlines, which do.
      if (options?.keepAlive !== false && delayMs !== 1_250) keptAlive.push(delayMs);
      return set(callback, delayMs);
    };
    const failures: number[] = [];
    throttle.on("startFailed", ({ error }) => {
      expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE" });
      failures.push(runtime.now());
    });
    store.down = true;
    expect(throttle.tryAcquire()).toBe(false);
    for (let seconds = 0; seconds < 400; seconds++) {
      throttle.tryAcquire();
      await runtime.advance(1_000);
    }
    expect(throttle.status()).toMatchObject({ lastError: { code: "DT_STORE_UNAVAILABLE" } });
    expect(keptAlive).toEqual([]);
    const betweenS = failures.slice(1).map((at, i) => Math.round((at - (failures[i] as number)) / 1_000));
    // A start tries for 20 s, or a little less; then come pauses of 1, 2, 4, 8, 16, 30 and 30 s.
    const pausesS = [1, 2, 4, 8, 16, 30, 30];
    const off = pausesS.map((pauseS, i) => Math.abs((betweenS[i] as number) - 20 - pauseS));
    expect(Math.max(...off)).toBeLessThanOrEqual(1);
    store.down = false;
    await runtime.advance(60_000);
    expect(throttle.status()).toMatchObject({ state: "running", lastError: undefined });
    expect(throttle.tryAcquire()).toBe(true);
    await throttle.stop();
  });

  it("does not start again what was stopped", async () => {
    const { runtime, store, throttle } = world();
    store.down = true;
    const failures: unknown[] = [];
    throttle.on("startFailed", (failure) => failures.push(failure));
    throttle.tryAcquire();
    await settle();
    await throttle.stop();
    const { calls } = store;
    await runtime.advance(100_000);
    expect([store.calls, failures, runtime.pendingTimers]).toEqual([calls, [], 0]);
    expect(() => throttle.tryAcquire()).toThrowError(expect.objectContaining({ code: "DT_STOPPED" }));
  });
});

it("the throttle of a replaced limit starts and ends with the other one", async () => {
  const { runtime, store, throttle } = world({ replaces: { name: "old", rate: "4/s" } });
  const ten = throttle.acquireUpTo(10);
  await runtime.advance(2_000);
  expect(await ten).toBe(4);
  expect((await store.inspect("old")).members).toHaveLength(1);
  await throttle.stop();
  expect((await store.inspect("old")).members).toHaveLength(0);
});
