import type { HotPathFigures } from "../hot-path/hot-path.ts";
import { figure } from "../report/format.ts";
import { bar } from "./bar.ts";
import type { BarPlot, Panel } from "./bar-plot.ts";

/** Candidates of the hot path that are shown, and what they are called in the plot. */
const AT_ONCE: Readonly<Record<string, string>> = {
  "performance.now()": "a look at the clock",
  "@dt/core tryAcquire, epoch": "@dt tryAcquire",
  "limiter TokenBucket.tryRemoveTokens": "limiter, bucket",
  "@fastify/rate-limit LocalStore.incr": "@fastify/rate-limit",
  "limiter RateLimiter.tryRemoveTokens": "limiter, rate",
  "effect RateLimiter.consume, runSync": "effect",
};
const AWAITED: Readonly<Record<string, string>> = {
  "await undefined": "an empty await",
  "@dt/core acquire, epoch": "@dt acquire",
  "p-throttle": "p-throttle",
  "rate-limiter-flexible RateLimiterMemory.consume": "rate-limiter-flexible",
  "async-sema RateLimit": "async-sema",
  "limiter RateLimiter.removeTokens": "limiter",
  "effect RateLimiter.consume, runPromise": "effect",
  "bottleneck schedule": "bottleneck",
};

/** What one grant costs, beside other limiters of one process. */
export function grantPlot({ synchronous, awaited }: HotPathFigures): BarPlot {
  const panel = (title: string, shown: typeof AT_ONCE, { candidates, floor }: HotPathFigures["awaited"]): Panel => ({
    title,
    scale: "powers",
    bars: Object.entries(shown).map(([name, label]) => {
      const ns = candidates.find((candidate) => candidate.name === name)?.nsPerOp.median;
      if (ns === undefined) throw new Error(`hot-path has no ${name} any more: change the plot`);
      return bar(label, ns, ns < 1e6 ? `${figure(ns)} ns` : `${figure(ns / 1e6)} ms`, name === floor);
    }),
  });
  return {
    id: "grant-cost",
    title: "What one grant costs",
    description: "Nanoseconds for one grant of this library and of other limiters, each in one process.",
    panels: [
      panel("Granted at once (scale of powers of ten)", AT_ONCE, synchronous),
      panel("Awaited (scale of powers of ten)", AWAITED, awaited),
    ],
  };
}
