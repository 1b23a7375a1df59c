import { describe, expect, it } from "vitest";
import { idealOf, judge, limiterNamed, run, scenarioNamed, type Verdict } from "../../src/callee/index.ts";

/** One run of each; the table of ten is `npm run -s simulate -- --suite`. */
function verdict(code: string, algorithm: string, seed = 1): Verdict {
  const scenario = scenarioNamed(code);
  const limiter = limiterNamed(algorithm);
  if (scenario === undefined || limiter === undefined) throw new Error(`${code} or ${algorithm} is gone`);
  const { signal, admission } = limiter;
  return judge(scenario, idealOf(scenario), run(scenario, { seed, signal, admission }));
}

describe.each(["automatic", "automatic+signal"])("%s", (algorithm) => {
  const signal = algorithm.endsWith("+signal");

  it.each([5, 7, 10])("finds the servers that come back after a minute (S2, seed %i)", (seed) => {
    const { goodput, settleSeconds } = verdict("S2", algorithm, seed);
    expect(goodput).toBeGreaterThan(0.98);
    expect(settleSeconds).toBeLessThan(3);
  });

  it("keeps a callee busy that takes ten times as long for a minute (S4)", () => {
    const { goodput, p99, afterwards } = verdict("S4", algorithm);
    // A sixtieth is chance, with 64 calls a second for a minute.
    expect(goodput).toBeGreaterThan(0.95);
    expect(p99).toBeLessThan(1.1);
    expect(afterwards).toBeGreaterThan(0.97);
  });

  it("shares among eight clients that come one after the other (S5)", () => {
    const { goodput, p99, jain } = verdict("S5", algorithm);
    expect(goodput).toBeGreaterThan(signal ? 0.99 : 0.98);
    expect(p99).toBeLessThan(signal ? 1.15 : 1.8);
    expect(jain).toBeGreaterThan(signal ? 0.98 : 0.95);
  });

  it.each(["W1", "W2", "W3", "W4"])("keeps a callee of few servers busy (%s)", (code) => {
    expect(verdict(code, algorithm).goodput).toBeGreaterThan(0.94);
  });

  it("shares among two clients that begin together, from the beginning (W5)", () => {
    const { goodput, p99, jain } = verdict("W5", algorithm);
    expect(goodput).toBeGreaterThan(0.98);
    expect(p99).toBeLessThan(1.3);
    expect(jain).toBeGreaterThan(0.93);
  });

  it("keeps a callee busy whose lognormal calls take ten times as long for a minute (W7)", () => {
    const { goodput, p99, settleSeconds } = verdict("W7", algorithm);
    expect(goodput).toBeGreaterThan(0.95);
    expect(p99).toBeLessThan(1.3);
    expect(settleSeconds).toBeLessThan(10);
  });

  it("shares by cost, not by count, among clients whose calls cost one and four (F1)", () => {
    const { goodput, jain } = verdict("F1", algorithm);
    expect(goodput).toBeGreaterThan(0.98);
    expect(jain).toBeGreaterThan(signal ? 0.98 : 0.92);
  });
});
