import { type AlgorithmName, algorithmByName, algorithmNames, createConcurrencyLimit } from "@dt/adaptive";
import { describe, expect, it } from "vitest";
import { idealOf, judge, run, type Verdict } from "../../src/callee/index.ts";
import { open, scenario } from "./support.ts";

/** A run of so many latencies: `servers` servers, twice the load they can take, calls of `callMs` on average. */
function verdict(algorithm: AlgorithmName, callMs: number, servers: number, latencies: number): Verdict {
  const seconds = (latencies * callMs) / 1_000;
  const world = scenario(
    { servers, service: { kind: "exponential", meanMs: callMs } },
    open((2_000 * servers) / callMs),
    { seconds, measured: { fromSeconds: seconds / 2, toSeconds: seconds }, timeoutMs: 20 * callMs },
  );
  const signal = algorithm === "queue-wait";
  const book = run(world, {
    seed: 1,
    signal,
    admission: (runtime) => {
      // Without a probe of the event loop, which would need 100 timers a second for hours.
      const limit = createConcurrencyLimit({ algorithm: algorithmByName(algorithm), runtime, maxLag: 1 });
      return {
        enter: (cost) => limit.tryAcquire(cost),
        get limit() {
          return limit.limit;
        },
      };
    },
  });
  return judge(world, idealOf(world), book);
}

/** These two measure with little in flight, which sheds much, and by few samples, which may be lucky ones. */
const LEAST: { readonly [A in AlgorithmName]?: number } = { bbr: 0.7, "envoy-gradient": 0.65 };
const leastOf = (algorithm: AlgorithmName): number => LEAST[algorithm] ?? 0.95;

describe.each(algorithmNames)("%s", (algorithm) => {
  it.each([1_000, 20_000, 120_000])("keeps 32 servers busy whose calls take %d ms", (callMs) => {
    const { goodput, p99 } = verdict(algorithm, callMs, 32, 600);
    expect(goodput).toBeGreaterThan(leastOf(algorithm));
    // Nothing but timeouts, after 20 latencies, bounds `aimd` here.
    expect(p99).toBeLessThan(algorithm === "aimd" ? 4.5 : 2.6);
  });

  it("keeps 32 servers busy whose calls take 1 ms", () => {
    expect(verdict(algorithm, 1, 32, 20_000).goodput).toBeGreaterThan(leastOf(algorithm));
  });
});
