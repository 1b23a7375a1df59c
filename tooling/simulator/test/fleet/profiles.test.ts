import { describe, expect, it } from "vitest";
import { planOf } from "../../src/fleet/plan/generate.ts";
import type { Profile } from "../../src/fleet/plan/plan.ts";
import { type Outcome, runPlan } from "../../src/fleet/soak/run-seed.ts";
import { summarise } from "../../src/fleet/soak/summary.ts";

/**
 * How many seeds of each profile run here; the soak runs as many as it is told (docs/guarantees.md has thousands of
 * each). Several faults inside of core are found by these seeds alone: tooling/simulator/seeded-bugs.md.
 */
const SEEDS: readonly (readonly [Profile, number])[] = [
  ["atomic", 60],
  ["storm", 30],
  ["suspended", 50],
  ["abuse-of-the-prototype", 30],
  ["collecting", 40],
  ["failover-loss", 50],
  ["hold-partition", 50],
  ["floor-partition", 50],
];

describe("the real core in the seeded world", () => {
  it.each(SEEDS)("keeps its promises in the profile %s, %i seeds", async (profile, count) => {
    const outcomes: Outcome[] = [];
    for (let seed = 0; seed < count; seed++) outcomes.push(await runPlan(planOf(seed, profile)));
    expect(outcomes.flatMap(({ seed, violations }) => violations.map((violation) => ({ seed, ...violation })))).toEqual(
      [],
    );
    const summary = summarise(profile, outcomes);
    if (["atomic", "storm", "suspended", "collecting"].includes(profile)) expect(summary.worstOvershoot).toBe(1);
    if (profile === "abuse-of-the-prototype") expect(summary.medianUtilisation).toBeGreaterThan(0.84);
  });
});
