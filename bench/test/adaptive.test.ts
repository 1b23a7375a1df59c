import { expect, it } from "vitest";
import type { AdaptiveFigures } from "../src/adaptive/adaptive.ts";
import type { Result } from "../src/saved-results.ts";
import { runBench } from "./run-bench.ts";

it("the adaptive benchmark counts every call that was wanted, with and without a limit", async () => {
  const { stdout } = await runBench("adaptive", "--quick", "--json");
  const { figures } = JSON.parse(stdout) as Result<AdaptiveFigures>;
  expect(figures.stories.map(({ limiters }) => limiters.length)).toEqual([3, 3]);
  const all = figures.stories.flatMap(({ limiters }) => limiters);
  for (const { limiter, phases } of all) {
    expect(phases.every(({ wanted }) => wanted > 0)).toBe(true);
    if (limiter === "no limit") expect(phases.every(({ shed }) => shed === 0)).toBe(true);
  }
  // A phase is a quarter of a second here, which a busy machine may sleep through.
  expect(all.some(({ phases }) => phases.some(({ goodput }) => goodput > 0))).toBe(true);
}, 120_000);
