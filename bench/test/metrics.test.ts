import { expect, it } from "vitest";
import type { MetricsFigures } from "../src/metrics/metrics.ts";
import type { Result } from "../src/saved-results.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

it(
  "the metrics benchmark prints one JSON object with all candidates, collections and targets",
  async () => {
    const { stdout } = await runBench("metrics", "--quick", "--json");
    const { benchmark, quick, figures, targets, pass } = JSON.parse(stdout) as Result<MetricsFigures>;
    expect([benchmark, quick]).toEqual(["metrics", true]);
    const { candidates, floor } = figures.grants;
    expect(candidates[0]?.name).toBe(floor);
    expect(candidates).toHaveLength(4);
    for (const { nsPerOp } of candidates) expect(nsPerOp.min).toBeGreaterThan(0);
    expect(figures.collections.map(({ throttles }) => throttles)).toEqual([1, 10]);
    for (const { throttles, series, microseconds } of figures.collections) {
      expect(series).toBeGreaterThanOrEqual(10 * throttles);
      expect(microseconds.min).toBeGreaterThan(0);
    }
    expect(targets).toHaveLength(2);
    expect(pass).toBe(targets.every(({ met }) => met));
  },
  PATIENCE_MS,
);
