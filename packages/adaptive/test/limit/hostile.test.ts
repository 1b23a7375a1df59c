import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import {
  aimd,
  type Classifier,
  createAdaptiveThrottle,
  createConcurrencyLimit,
  fixed,
  type Outcome,
} from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

test.each(["before", "after"])(
  "a part that was kept free for a second goes to whoever waits since %s the last call ended, when the second is over",
  async (joins) => {
    const runtime = new VirtualRuntime();
    const limit = createConcurrencyLimit({ algorithm: fixed(10), partitions: { checkout: 50, search: 50 }, runtime });
    const lent = Array.from({ length: 10 }, () => limit.tryAcquire(1, { partition: "search" }));
    expect(limit.tryAcquire(1, { partition: "checkout" })).toBeUndefined();
    const waiting = joins === "before" ? limit.acquire(1, { partition: "search" }) : undefined;
    for (const slot of lent.slice(0, 5)) slot?.success();
    const late = waiting ?? limit.acquire(1, { partition: "search" });
    expect(limit.inflight).toBe(5);
    await runtime.advance(1_000);
    expect(limit.inflight).toBe(6);
    (await late).success();
    for (const slot of lent) slot?.success();
    await limit.stop();
    expect(runtime.pendingTimers).toBe(0);
  },
);

test("stop ends a drain at once, also while slots are out that nobody settles", async () => {
  const runtime = new VirtualRuntime();
  const limit = createConcurrencyLimit({ algorithm: fixed(1), maxLag: 1, runtime });
  limit.tryAcquire();
  let drained: boolean | undefined;
  const draining = limit.drain().then((inOrder) => {
    drained = inOrder;
  });
  await runtime.advance(10);
  await limit.stop();
  await runtime.advance(0);
  expect(drained).toBe(false);
  await draining;
  expect(await limit.drain()).toBe(false);
  expect(runtime.pendingTimers).toBe(0);
});

test.each<[string, Classifier]>([
  ["nothing", () => undefined as never],
  ["null", () => null as never],
  ["an outcome that there is not", () => ({ outcome: "slow" as Outcome })],
  ["a promise", (async () => ({ outcome: "overload" })) as never],
  [
    "an error",
    () => {
      throw new Error("no idea");
    },
  ],
])("a classifier that gives %s loses no slot", async (_, classify) => {
  const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime: new VirtualRuntime() });
  const throttle = createAdaptiveThrottle({ classify, runtime: new VirtualRuntime() });
  await limit
    .wrap(async () => 1, { classify })()
    .catch(() => undefined);
  await throttle
    .wrap(async () => 1)()
    .catch(() => undefined);
  expect(limit.inflight).toBe(0);
  const { inflight, requests, successes, overloads, failures } = throttle.status();
  expect([inflight, requests]).toEqual([0, successes + overloads + failures]);
});

test("an outcome that there is not is refused, and the call is still to be settled", () => {
  const runtime = new VirtualRuntime();
  const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime });
  const throttle = createAdaptiveThrottle({ runtime });
  for (const call of [limit.tryAcquire(), throttle.tryAcquire()]) {
    for (const outcome of ["timeout", undefined, "toString", "__proto__"])
      expect(() => call?.settle(outcome as Outcome)).toThrow(/outcome is .*; give one of success, overload/);
    expect(call?.open).toBe(true);
    call?.overload();
  }
  expect(limit.inflight).toBe(0);
  expect(throttle.status()).toMatchObject({ requests: 1, overloads: 1, inflight: 0 });
});

test("a few calls at a time that are all refused lower the limit, also when nothing is in flight between them", async () => {
  const runtime = new VirtualRuntime();
  const limit = createConcurrencyLimit({ algorithm: aimd(), runtime });
  for (let second = 0; second < 60; second++) {
    const calls = [1, 2, 3, 4].map(() => limit.tryAcquire());
    await runtime.advance(20);
    for (const call of calls) call?.overload();
    await runtime.advance(580);
  }
  expect(limit.limit).toBeLessThan(4);
});

test("a refusal counts also in a window whose latencies are left out since the event loop was held up", () => {
  let nowMs = 0;
  // The event loop does not turn: no timer fires.
  const runtime = { now: () => nowMs, random: Math.random, setTimer: () => ({ cancel: () => undefined }) };
  const algorithm = scripted(10);
  const limit = createConcurrencyLimit({ algorithm, runtime });
  const [answered, refused] = [limit.tryAcquire(), limit.tryAcquire()];
  nowMs = 90;
  answered?.success();
  nowMs = 200;
  refused?.overload();
  expect(limit.status().lateWindows).toBe(1);
  expect(algorithm.seen).toMatchObject([{ samples: 0, overloads: 1 }]);
});
