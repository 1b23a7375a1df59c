import { expect, test } from "vitest";
import { bbr, envoyGradient, type LimitAlgorithm } from "../../src/index.ts";
import { seen } from "./windows.ts";

/** Each call costs 10, and no two are in flight while less than 20 may be. */
const tenEach = (limit: number) => ({
  maxInflight: Math.max(10, Math.floor(limit / 10) * 10),
  successCost: 10 * Math.max(1, Math.floor(limit / 10)) * 20,
  samples: 20 * Math.max(1, Math.floor(limit / 10)),
  meanMs: 5,
});

test.each<[string, LimitAlgorithm]>([
  ["bbr", bbr()],
  ["envoy-gradient", envoyGradient()],
])("%s measures without load also where one call alone costs more than its probe lets through", (_, algorithm) => {
  let state = algorithm.start();
  const limits: number[] = [];
  for (let i = 0; i < 3_000; i++) {
    state = algorithm.next(state, seen({ startMs: 100 * i, ...tenEach(state.limit) }), () => 0.5);
    limits.push(state.limit);
  }
  const small = limits.slice(-1_000).filter((limit) => limit < 10).length;
  expect(small).toBeLessThan(500);
});
