import { createThrottle, DtError, isDtError, type Limiter, MemoryStore, type Throttle } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import {
  createAdaptiveRate,
  createAdaptiveThrottle,
  createConcurrencyLimit,
  createGuard,
  fixed,
} from "../../src/index.ts";

/** Every limiter in a state in which it lets no call through, and what it is asked with. */
const closed: Readonly<Record<string, (runtime: VirtualRuntime) => Limiter<unknown, unknown>>> = {
  "concurrency limit": (runtime: VirtualRuntime) => {
    const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime });
    limit.tryAcquire();
    return limit;
  },
  "adaptive rate": (runtime: VirtualRuntime) => {
    const rate = createAdaptiveRate({ runtime });
    rate.pause("1m");
    return rate;
  },
  guard: (runtime: VirtualRuntime) => {
    const guard = createGuard({ runtime });
    guard.pause("1m");
    return guard;
  },
};

const kinds = Object.entries(closed);

test.each(kinds)("%s: a call that was not made is never mistaken for one that was", async (_, closedBy) => {
  const runtime = new VirtualRuntime();
  const limiter = closedBy(runtime);
  let paid = 0;
  const pay = limiter.wrap(
    async () => {
      paid += 1;
    },
    { timeout: "1s" },
  );
  const ends = [pay(), limiter.acquire(1, { timeout: "1s" }), limiter.run(() => paid++, { timeout: "1s" })].map((end) =>
    end.then(
      () => "made",
      (error: unknown) => isDtError(error) && error.code,
    ),
  );
  await runtime.advance(1_000);
  expect(await Promise.all(ends)).toEqual(["DT_TIMEOUT", "DT_TIMEOUT", "DT_TIMEOUT"]);
  await expect(limiter.acquire(1, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
  await expect(limiter.run(() => paid++, { whenLimited: "throw" })).rejects.toMatchObject({ code: "DT_LIMITED" });
  expect(await limiter.run(() => paid++, { whenLimited: "skip" })).toBeUndefined();
  expect(await limiter.tryAcquire()).toBeUndefined();
  expect(paid).toBe(0);
});

/** A throttle whose store is out of reach for so many milliseconds. */
function slowToStart(runtime: VirtualRuntime, ms: number): Throttle {
  const store = new MemoryStore({ runtime });
  const register = store.register.bind(store);
  const upMs = runtime.now() + ms;
  store.register = async (...args) => {
    if (runtime.now() < upMs) throw new DtError("DT_STORE_UNAVAILABLE", "the store is down");
    return register(...args);
  };
  return createThrottle({ name: "g", max: 10, store, runtime });
}

const overThrottles: Readonly<
  Record<string, (runtime: VirtualRuntime, throttle: Throttle) => Limiter<unknown, unknown>>
> = {
  "adaptive rate": (runtime, throttle) => createAdaptiveRate({ runtime, throttle }),
  guard: (runtime, throttle) => createGuard({ runtime, throttle }),
};

test.each(Object.entries(overThrottles))(
  "%s: its throttle's start is no limit: a call that does not wait for anything else waits for it, for its time",
  async (_, over) => {
    const runtime = new VirtualRuntime();
    const throttle = slowToStart(runtime, 500);
    const limiter = over(runtime, throttle);
    const seen: unknown[] = [];
    const see = (call: Promise<unknown>): void =>
      void call.then(
        (value) => seen.push(value),
        (error: { readonly code: string }) => seen.push(error.code),
      );
    see(limiter.run(() => "thrown", { whenLimited: "throw" }));
    see(limiter.run(() => "skipped", { whenLimited: "skip" }));
    see(limiter.run(() => "never", { whenLimited: "throw", timeout: 100 }));
    await runtime.advance(100);
    expect(seen).toEqual([expect.stringMatching("^DT_(TIMEOUT|LIMITED)$")]);
    await runtime.advance(2_900);
    expect(seen.slice(1).toSorted()).toEqual(["skipped", "thrown"]);
    await limiter.stop();
    await throttle.stop();
    expect(runtime.pendingTimers).toBe(0);
  },
);

test.each(kinds)("%s: after stop every way to a call is DT_STOPPED, skip included", async (_, closedBy) => {
  const limiter = closedBy(new VirtualRuntime());
  const waiting = limiter.acquire().catch((error) => error.code);
  await limiter.stop();
  await limiter[Symbol.asyncDispose]();
  expect(await waiting).toBe("DT_STOPPED");
  const stopped = { code: "DT_STOPPED" };
  await expect(limiter.acquire()).rejects.toMatchObject(stopped);
  await expect(limiter.run(() => 1, { whenLimited: "skip" })).rejects.toMatchObject(stopped);
  await expect(limiter.run(() => 1, { whenLimited: "throw" })).rejects.toMatchObject(stopped);
  await expect((async () => limiter.tryAcquire())()).rejects.toMatchObject(stopped);
});

test("five calls do not go out where there is room for one: a cost is all or nothing", async () => {
  const runtime = new VirtualRuntime();
  const limit = createConcurrencyLimit({ algorithm: fixed(5), runtime });
  const one = await limit.acquire();
  expect(limit.tryAcquire(5)).toBeUndefined();
  const five = limit.acquire(5);
  expect(limit.inflight).toBe(1);
  one.success();
  expect((await five).cost).toBe(5);
  expect(limit.tryAcquire()).toBeUndefined();
});

test("an adaptive throttle counts a call as one, and refuses a cost", () => {
  expect(() => createAdaptiveThrottle().tryAcquire(5 as never)).toThrow(
    "cost is 5; leave it out: every call counts as one",
  );
});
