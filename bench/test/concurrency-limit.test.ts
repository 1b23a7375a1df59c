import { expect, it } from "vitest";
import type { SlotFigures } from "../src/concurrency-limit/concurrency-limit.ts";
import type { Result } from "../src/saved-results.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

it(
  "the concurrency-limit benchmark prints one JSON object with every candidate and the targets",
  async () => {
    const { stdout } = await runBench("concurrency-limit", "--quick", "--json");
    const { benchmark, quick, figures, targets, pass } = JSON.parse(stdout) as Result<SlotFigures>;
    expect([benchmark, quick]).toEqual(["concurrency-limit", true]);
    for (const { candidates, floor } of [figures.atOnce, figures.awaited]) {
      expect(candidates[0]?.name).toBe(floor);
      for (const { nsPerOp } of candidates) expect(nsPerOp.min).toBeGreaterThan(0);
    }
    const names = [...figures.atOnce.candidates, ...figures.awaited.candidates].map(({ name }) => name);
    for (const candidate of ["cockatiel", "p-limit", "async-sema", "@dt/adaptive"])
      expect(names).toContainEqual(expect.stringContaining(candidate));
    expect(targets).toHaveLength(2);
    expect(pass).toBe(targets.every(({ met }) => met));
  },
  PATIENCE_MS,
);
