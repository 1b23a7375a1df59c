import { describe, expect, it } from "vitest";
import type { Result } from "../src/saved-results.ts";
import { fairPart, type StepPlan } from "../src/step/plan.ts";
import type { StepBenchFigures } from "../src/step/step.ts";
import { runBench } from "./run-bench.ts";

describe("the step benchmark", () => {
  it("takes for a fair part what the others leave, or the even part where they leave nothing", () => {
    const plan = { members: 5, max: 100, asks: 60 } as StepPlan;
    expect([fairPart(plan, "idle"), fairPart(plan, "saturated")]).toEqual([60, 20]);
  });

  it("says for each store and fleet how soon the first token came, and then the fair part", async () => {
    const { stdout } = await runBench("step", "--quick", "--json");
    const { figures } = JSON.parse(stdout) as Result<StepBenchFigures>;
    const fleets = figures.stores.map(({ store, others }) => `${store} ${others}`);
    expect(fleets).toEqual(["redis idle", "postgres idle", "redis saturated", "postgres saturated"]);
    for (const { firstToken, fairPart, steps } of figures.stores) {
      expect(steps).toBe(1);
      expect(firstToken.median).toBeGreaterThan(0);
      expect(fairPart.median).toBeGreaterThan(firstToken.median);
    }
  }, 120_000);
});
