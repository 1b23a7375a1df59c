import {
  createAdaptiveRate,
  createAdaptiveThrottle,
  createConcurrencyLimit,
  createGuard,
  createRetryBudget,
} from "@dt/adaptive";
import { createPacer, createThrottle, MemoryStore } from "@dt/core";
import { describe, expect, it } from "vitest";
import { throttled } from "../../src/index.ts";

const store = new MemoryStore();
const promise = Promise.resolve("sent") as never;
const limit = createConcurrencyLimit();

/** Whatever takes a function, in every package. */
const takers: Readonly<Record<string, () => unknown>> = {
  "throttle.wrap": () => createThrottle({ name: "g", max: 1, store }).wrap(promise),
  "throttle.wrap with options": () => createThrottle({ name: "g", max: 1, store }).wrap(promise, { cost: 1 }),
  "pacer.wrap": () => createPacer({ name: "k", every: "1s", store }).wrap(promise),
  "limit.wrap": () => limit.wrap(promise),
  "adaptive throttle.wrap": () => createAdaptiveThrottle().wrap(promise),
  "adaptive rate.wrap": () => createAdaptiveRate().wrap(promise),
  "retry budget.wrap": () => createRetryBudget().wrap(promise),
  "retry budget.run": () => createRetryBudget().run(promise),
  "guard.wrap": () => createGuard({ limit }).wrap(promise),
  "guard.run": () => createGuard({ limit }).run(promise),
  throttled: () => throttled([1], promise),
};

describe("a promise where a function belongs is refused, since its call runs already", () => {
  it.each(Object.keys(takers))("%s", async (name) => {
    const call = async (): Promise<unknown> => (takers[name] as () => unknown)();
    await expect(call()).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringMatching(/is a promise; its call runs already, .*such as \(\) => send\(mail\)/),
    });
  });
});
