import { describe, expect, it } from "vitest";
import type { Comparison } from "../src/hot-path/comparison.ts";
import type { HotPathFigures } from "../src/hot-path/hot-path.ts";
import type { Result } from "../src/saved-results.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

function expectMeasured({ floor, candidates }: Comparison): void {
  expect(candidates[0]?.name).toBe(floor);
  for (const { nsPerOp, ratio, configuration } of candidates) {
    expect(nsPerOp.min).toBeGreaterThan(0);
    expect(nsPerOp.max).toBeGreaterThanOrEqual(nsPerOp.median);
    expect(ratio.median).toBeCloseTo(nsPerOp.median / (candidates[0]?.nsPerOp.median ?? 0), 6);
    expect(configuration).not.toBe("");
  }
}

const namesOf = ({ candidates }: Comparison): string[] => candidates.map(({ name }) => name);

describe("the hot-path benchmark", () => {
  it(
    "prints one JSON object with every candidate, the store's counters and the targets",
    async () => {
      const { stdout } = await runBench("hot-path", "--quick", "--json");
      const result = JSON.parse(stdout) as Result<HotPathFigures>;
      const { synchronous, awaited, storeCommands } = result.figures;
      expect(result).toMatchObject({ benchmark: "hot-path", quick: true, machine: { node: process.versions.node } });
      for (const comparison of [synchronous, awaited]) expectMeasured(comparison);
      for (const peer of ["async-sema", "limiter", "p-throttle", "rate-limiter-flexible", "effect", "bottleneck"])
        expect([...namesOf(synchronous), ...namesOf(awaited)]).toContainEqual(expect.stringContaining(peer));
      expect(namesOf(synchronous)).toContain("@dt/core semaphore, tryAcquire + release");
      for (const release of ["epoch", "even"]) {
        expect(namesOf(synchronous)).toContain(`@dt/core tryAcquire, ${release}`);
        expect(namesOf(awaited)).toContain(`@dt/core acquire, ${release}`);
      }
      // One a second, however many grants a machine makes in it.
      expect(storeCommands.granting.grants).toBeGreaterThan(0);
      expect(storeCommands.granting.scripts).toBeLessThan(storeCommands.granting.grants / 1_000);
      expect(result.targets.length).toBeGreaterThan(10);
      expect(result.pass).toBe(result.targets.every(({ met }) => met));
    },
    PATIENCE_MS,
  );
});
