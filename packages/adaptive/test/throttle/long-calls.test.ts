import { describe, expect, it } from "vitest";
import { type Call, createAdaptiveRate, createAdaptiveThrottle } from "../../src/index.ts";
import { LoopRuntime, play, sum } from "../support/demand.ts";

/** What lets calls through, by what it counts. */
const MADE: Readonly<Record<string, (runtime: LoopRuntime) => () => Call | undefined>> = {
  "an adaptive rate": (runtime) => {
    const rate = createAdaptiveRate({ runtime });
    return () => rate.tryAcquire();
  },
  "an adaptive throttle": (runtime) => {
    const throttle = createAdaptiveThrottle({ runtime });
    return () => throttle.tryAcquire();
  },
};

describe.each(Object.keys(MADE))("%s", (name) => {
  it.each([1, 1_000, 20_000, 120_000])(
    "uses what a callee takes that refuses at once, and needs %d ms for each call",
    (takenMs) => {
      const runtime = new LoopRuntime(7);
      const enter = (MADE[name] as (typeof MADE)[string])(runtime);
      const seconds = 40;
      const book = play({ capacity: 50, rate: () => 200, latencyMs: 1, takenMs, seconds }, runtime, enter);
      // From the beginning: before the first answer comes, refusals are all that is known.
      const { taken, sent } = sum(book, 5, 30);
      const most = 50 * 25;
      expect(taken / most).toBeGreaterThan(0.85);
      expect(sent / most).toBeLessThan(1.3);
    },
  );
});
