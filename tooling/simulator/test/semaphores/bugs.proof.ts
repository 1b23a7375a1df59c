import { describe, expect, it } from "vitest";
import { bugNamed, SLOT_BUGS } from "../../src/semaphores/search/bugs/catalogue.ts";
import type { SlotBug } from "../../src/semaphores/search/bugs/slot-bug.ts";
import { planOf } from "../../src/semaphores/search/generate.ts";
import type { SearchPlan } from "../../src/semaphores/search/plan.ts";
import { keepFaults, minimise } from "../../src/semaphores/search/replay.ts";
import { runPlan } from "../../src/semaphores/search/run-seed.ts";

/** Every bug is found by one of so many seeds, from its first on. */
const SEEDS = 100;

/** The plan of the first seed that shows a bug. */
async function firstFound(bug: SlotBug): Promise<SearchPlan | undefined> {
  const { from = 0, profile = "ignored", on = "V1" } = bug;
  for (let seed = from; seed < from + SEEDS; seed++) {
    const plan = planOf(seed, profile, on);
    if ((await runPlan(plan, { bug })).violations.length > 0) return plan;
  }
  return undefined;
}

describe("a seeded bug of semaphores", () => {
  it.each(SLOT_BUGS.map((bug) => [bug.name, bug] as const))("%s is found", async (_, bug) => {
    const plan = await firstFound(bug);
    expect(plan).toBeDefined();
    // The seed shows the bug, and nothing else.
    expect((await runPlan(plan as SearchPlan)).violations).toEqual([]);
  });

  it("has a name of its own, and there is none of another name", () => {
    expect(new Set(SLOT_BUGS.map(({ name }) => name)).size).toBe(SLOT_BUGS.length);
    expect(() => bugNamed("no-such-bug")).toThrow(/--with is "no-such-bug"; give one of/);
  });

  it("makes seeds fail, and the schedule can be shortened while it still does", async () => {
    const bug = bugNamed("restart-frees-the-slots-before");
    const plan = (await firstFound(bug)) as SearchPlan;
    const kept = await minimise(plan, bug);
    expect(kept.length).toBeLessThan(plan.faults.length);
    expect((await runPlan(keepFaults(plan, kept), { bug })).violations.length).toBeGreaterThan(0);
    // Without any one of those that are left it passes, or breaks another rule.
    for (const index of kept) {
      const without = keepFaults(
        plan,
        kept.filter((other) => other !== index),
      );
      expect((await runPlan(without, { bug })).violations[0]?.rule).not.toBe("max");
    }
  });
});
