import { expect, it } from "vitest";
import type { AdaptiveFigures } from "../src/adaptive/adaptive.ts";
import type { Result } from "../src/saved-results.ts";
import { runBench } from "./run-bench.ts";

it("the adaptive benchmark counts every call that was wanted, with and without a limit", async () => {
  const { stdout } = await runBench("adaptive", "--quick", "--json");
  const { figures } = JSON.parse(stdout) as Result<AdaptiveFigures>;
  expect(figures.stories.map(({ limiters }) => limiters.length)).toEqual([3, 3]);
  for (const { limiters } of figures.stories)
    for (const { limiter, phases } of limiters) {
      expect(phases.every(({ wanted }) => wanted > 0)).toBe(true);
      expect(phases[0]?.goodput).toBeGreaterThan(0);
      if (limiter === "no limit") expect(phases.every(({ shed }) => shed === 0)).toBe(true);
    }
}, 120_000);
