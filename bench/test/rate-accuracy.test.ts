import { describe, expect, it } from "vitest";
import type { RateAccuracyFigures } from "../src/rate-accuracy/rate-accuracy.ts";
import { mostWithin } from "../src/rate-accuracy/windows.ts";
import type { Result } from "../src/saved-results.ts";
import { PATIENCE_MS, runBench } from "./run-bench.ts";

describe("the rate-accuracy benchmark", () => {
  it("counts the starts in the worst window, wherever it lies and in whatever order they come", () => {
    expect(mostWithin([], 100)).toBe(0);
    expect(mostWithin([0, 100, 200], 100)).toBe(1);
    expect(mostWithin([0, 99, 200, 250, 299], 100)).toBe(3);
    expect(mostWithin([500, 0, 10, 490, 20], 25)).toBe(3);
  });

  it(
    "prints one JSON object with both patterns of every limiter",
    async () => {
      const { stdout } = await runBench("rate-accuracy", "--quick", "--json");
      const { figures } = JSON.parse(stdout) as Result<RateAccuracyFigures>;
      expect(figures.limiters.slice(0, 2).map(({ name }) => name)).toEqual(["@dt pacer, memory", "@dt pacer, redis"]);
      expect(new Set(figures.limiters.map(({ version }) => version !== null)).size).toBe(2);
      for (const { a, b } of figures.limiters) for (const { most } of [a, b]) expect(most).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});
