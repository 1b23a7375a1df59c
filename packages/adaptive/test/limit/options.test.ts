import { expect, test } from "vitest";
import { type ConcurrencyLimitOptions, createConcurrencyLimit, fixed, type SlotOptions } from "../../src/index.ts";

const algorithm = fixed(1);

test.each<[string, unknown, RegExp]>([
  ["options that are none", null, /options is null; give an object/],
  ["a misspelt option", { algorithm, maxWaiter: 3 }, /maxWaiter: there is no such option; did you mean maxWaiters\?/],
  ["an algorithm that is none", { algorithm: { name: "mine" } }, /algorithm is an object; give one of this package/],
  ["an order that is none", { algorithm, order: "random" }, /order is "random"; give "fifo" or "lifo"/],
  ["a queue without room", { algorithm, maxWaiters: 0 }, /maxWaiters is 0; give a whole number >= 1/],
  ["a queue without bound", { algorithm, maxWaiters: Number.POSITIVE_INFINITY }, /maxWaiters is Infinity/],
  ["an endless wait", { algorithm, acquireTimeout: Number.POSITIVE_INFINITY }, /acquireTimeout is Infinity/],
  ["a wait of nothing", { algorithm, acquireTimeout: 0 }, /acquireTimeout is 0; give at least 1 ms/],
  ["a hold of NaN", { algorithm, maxHold: Number.NaN }, /maxHold is NaN/],
  ["a lag that is no part", { algorithm, maxLag: 50 }, /maxLag is 50; give a part of the latency, from 0 to 1/],
  ["a semaphore that is none", { algorithm, semaphore: {} }, /semaphore is an object; give what createSemaphore/],
  ["a name that is empty", { algorithm, name: "" }, /name is ""; give a non-empty string/],
  ["half a runtime", { algorithm, runtime: { now: () => 0 } }, /setTimer is missing/],
])("%s: refused, with the remedy", (_, options, message) => {
  expect(() => createConcurrencyLimit(options as ConcurrencyLimitOptions)).toThrow(message);
});

test("without options the limit finds itself, and an algorithm may be given by its name", () => {
  expect(createConcurrencyLimit().status().algorithm).toBe("automatic");
  expect(createConcurrencyLimit({ algorithm: "vegas" }).status().algorithm).toBe("vegas");
  expect(() => createConcurrencyLimit({ algorithm: "vega" as "vegas" })).toThrow(/did you mean vegas\?/);
});

test.each([0, -3, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "5" as unknown as number])(
  "fixed(%s) is no limit",
  (limit) => {
    expect(() => fixed(limit)).toThrow(/limit is .*; give a number >= 1/);
  },
);

test.each<[unknown, RegExp]>([
  [{ priority: 10 }, /priority is 10; give a whole number from -9 to 9/],
  [{ priority: 0.5 }, /priority is 0.5/],
  [{ timeout: "soon" }, /timeout is "soon"/],
  [{ timeout: Number.POSITIVE_INFINITY }, /timeout is Infinity/],
  [{ signal: {} }, /signal is an object; give an AbortSignal/],
  [{ partition: "other" }, /the limit has none/],
  [{ held: 1 }, /held is 1; give true or false/],
  [{ cost: 1 }, /cost: there is no such option/],
])("acquire(1, %o) rejects", async (options, message) => {
  await using limit = createConcurrencyLimit({ algorithm });
  await expect(limit.acquire(1, options as SlotOptions)).rejects.toMatchObject({ code: "DT_INVALID_OPTION", message });
  expect(limit.inflight).toBe(0);
});

test.each<[unknown, RegExp]>([
  [0, /cost is 0; give a number more than 0/],
  [Number.NaN, /cost is NaN/],
  [Number.POSITIVE_INFINITY, /cost is Infinity/],
  [-1, /cost is -1/],
  ["5", /cost is "5"/],
  [null, /cost is null/],
  [{ cost: 5 }, /cost is an object; give a number more than 0. Options are the second argument: acquire\(1, options\)/],
])("a cost of %o is refused, and no slot is granted", async (cost, message) => {
  await using limit = createConcurrencyLimit({ algorithm });
  await expect(limit.acquire(cost as number)).rejects.toMatchObject({ code: "DT_INVALID_COST", message });
  await expect(limit.run(() => 1, { cost: cost as number })).rejects.toMatchObject({ code: "DT_INVALID_COST" });
  expect(() => limit.tryAcquire(cost as number)).toThrow(message);
  expect(limit.inflight).toBe(0);
});

test("tryAcquire takes a cost and options, and refuses what is neither", async () => {
  await using limit = createConcurrencyLimit({ algorithm: fixed(10) });
  expect([limit.tryAcquire(2.5)?.cost, limit.tryAcquire(3)?.cost, limit.inflight]).toEqual([2.5, 3, 5.5]);
  expect(() => limit.tryAcquire(0)).toThrow(/cost is 0/);
  expect(() => limit.tryAcquire(1, { timeout: 5 } as object)).toThrow(/timeout: there is no such option/);
});
