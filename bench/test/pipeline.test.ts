import { expect, it } from "vitest";
import type { PipelineFigures } from "../src/pipeline/pipeline.ts";
import type { Result } from "../src/saved-results.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

it(
  "the pipeline benchmark prints one JSON object with every candidate, what they held and the targets",
  async () => {
    const { stdout } = await runBench("pipeline", "--quick", "--json");
    const { benchmark, quick, figures, targets, pass } = JSON.parse(stdout) as Result<PipelineFigures>;
    expect([benchmark, quick]).toEqual(["pipeline", true]);
    for (const { candidates } of [figures.idle, figures.http]) {
      expect(candidates.map(({ name }) => name)).toEqual([
        "p-limit",
        "@dt/pipeline, nothing but calls",
        "@dt/pipeline, throttled",
        "@dt/pipeline, with files",
      ]);
      expect(candidates[0]?.ratio.median).toBe(1);
      for (const { microsecondsPerRecord } of candidates) expect(microsecondsPerRecord.min).toBeGreaterThan(0);
    }
    for (const { samples } of figures.memory.candidates) expect(samples).toHaveLength(10);
    expect(targets).toHaveLength(2);
    expect(pass).toBe(targets.every(({ met }) => met));
  },
  PATIENCE_MS,
);
