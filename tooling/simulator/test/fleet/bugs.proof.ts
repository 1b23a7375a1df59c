import { describe, expect, it } from "vitest";
import type { Bug } from "../../src/fleet/bugs/bug.ts";
import { BUGS, changeNamed } from "../../src/fleet/bugs/catalogue.ts";
import { planOf } from "../../src/fleet/plan/generate.ts";
import type { Plan } from "../../src/fleet/plan/plan.ts";
import { keepFaults } from "../../src/fleet/soak/keep.ts";
import { minimise } from "../../src/fleet/soak/minimise.ts";
import { runPlan } from "../../src/fleet/soak/run-seed.ts";

/** Every bug is found by one of so many seeds, from its first on. */
const SEEDS = 100;

/** The plan of the first seed that shows a bug. */
async function firstFound(bug: Bug): Promise<Plan | undefined> {
  const { from = 0 } = bug;
  for (let seed = from; seed < from + SEEDS; seed++) {
    const plan = planOf(seed, bug.profile ?? "atomic", bug.shares ?? "even");
    if ((await runPlan(plan, { bug })).violations.length > 0) return plan;
  }
  return undefined;
}

describe("a seeded bug", () => {
  it.each(BUGS.map((bug) => [bug.name, bug] as const))("%s is found", async (_, bug) => {
    expect(await firstFound(bug)).toBeDefined();
  });

  it("has a name of its own, and there is none of another name", () => {
    expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
    expect(() => changeNamed("no-such-bug")).toThrow(/--with is "no-such-bug"; give one of/);
  });

  it("makes seeds fail, and the schedule can be shortened while it still does", async () => {
    const bug = changeNamed("raise-beyond-free");
    const plan = (await firstFound(bug)) as Plan;
    const kept = await minimise(plan, bug);
    expect(kept.length).toBeLessThan(plan.faults.length);
    const { violations } = await runPlan(keepFaults(plan, kept), { bug });
    expect(violations.length).toBeGreaterThan(0);
    // Without any one of those that are left it passes, or breaks another rule.
    for (const index of kept) {
      const without = keepFaults(
        plan,
        kept.filter((other) => other !== index),
      );
      expect((await runPlan(without, { bug })).violations[0]?.rule).not.toBe(violations[0]?.rule);
    }
  });
});
