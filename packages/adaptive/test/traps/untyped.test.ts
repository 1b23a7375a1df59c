import { expect, test } from "vitest";
import {
  createAdaptiveRate,
  createAdaptiveThrottle,
  createConcurrencyLimit,
  createGuard,
  createRetryBudget,
} from "../../src/index.ts";

/** What a JavaScript user may do whom no compiler stops: each is an error, and never an undefined. */

// biome-ignore lint/suspicious/noExplicitAny: what no compiler looks at.
type Untyped = any;

const limiters: Readonly<Record<string, () => Untyped>> = {
  "concurrency limit": () => createConcurrencyLimit(),
  "adaptive rate": () => createAdaptiveRate(),
  guard: () => createGuard(),
};

test.each(Object.keys(limiters))("%s: options in the place of the cost are refused with the remedy", async (kind) => {
  const limiter = limiters[kind]?.();
  for (const cost of [{ timeout: 5 }, { cost: 5 }, { priority: 1 }])
    await expect(limiter.acquire(cost)).rejects.toMatchObject({
      code: "DT_INVALID_COST",
      message: expect.stringContaining("Options are the second argument: acquire(1, options)"),
    });
  for (const cost of ["5", null, 0, -1, Number.NaN])
    await expect((async () => limiter.tryAcquire(cost))()).rejects.toMatchObject({ code: "DT_INVALID_COST" });
});

test.each(Object.keys(limiters))(
  "%s: an option that there is not is refused, by acquire, run and wrap",
  async (kind) => {
    const limiter = limiters[kind]?.();
    const call = (): number => 1;
    const invalid = { code: "DT_INVALID_OPTION" };
    for (const options of [
      { onLimit: "skip" },
      { whenLimited: "drop" },
      { priority: 10 },
      { timeout: "soon" },
      5,
      null,
    ]) {
      await expect(limiter.acquire(1, options)).rejects.toMatchObject(invalid);
      await expect(limiter.run(call, options)).rejects.toMatchObject(invalid);
      expect(() => limiter.wrap(call, options)).toThrow(expect.objectContaining(invalid));
    }
    await expect(limiter.run(Promise.resolve())).rejects.toMatchObject(invalid);
    expect(() => limiter.wrap(Promise.resolve())).toThrow(expect.objectContaining(invalid));
    expect(limiter.status()).toMatchObject({ waiting: 0, inflight: 0 });
  },
);

test("an adaptive throttle never waits: a timeout or a signal is refused", async () => {
  const throttle: Untyped = createAdaptiveThrottle();
  expect(throttle.acquire).toBeUndefined();
  for (const options of [{ timeout: 5 }, { signal: AbortSignal.abort() }, { whenLimited: "wait" }, { priority: 1 }])
    await expect(throttle.run(() => 1, options)).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
});

test("a retry budget takes no limiter's options", async () => {
  const budget: Untyped = createRetryBudget();
  await expect(budget.run(() => 1, { timeout: 5 })).rejects.toThrow("timeout: there is no such option");
  expect(() => budget.wrap(() => 1, { whenLimited: "skip" })).toThrow("whenLimited: there is no such option");
  expect(() => budget.wrap(() => 1, { signal: 5 })).toThrow("signal is 5");
});
