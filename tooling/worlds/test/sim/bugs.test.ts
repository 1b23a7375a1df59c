import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { brokenCopy } from "../../src/sim/bugs/broken-copy.ts";
import type { Bug } from "../../src/sim/bugs/bug.ts";
import { BUGS, changeNamed, WAITING_FOR_AGREEMENT } from "../../src/sim/bugs/catalogue.ts";
import { inPlaceOf } from "../../src/sim/bugs/in-place.ts";
import { loadCore } from "../../src/sim/engine/core.ts";
import { planOf } from "../../src/sim/plan/generate.ts";
import { keepFaults } from "../../src/sim/soak/keep.ts";
import { minimise } from "../../src/sim/soak/minimise.ts";
import { runPlan } from "../../src/sim/soak/run-seed.ts";

const sources = fileURLToPath(new URL("../../../../packages/core/src", import.meta.url));

async function withBug<T>(bug: Bug, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await brokenCopy(sources, bug);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("seeded bugs", () => {
  it("are at least 80, with different names, and what each replaces is there in core as it is now", async () => {
    expect(BUGS.length).toBeGreaterThanOrEqual(80);
    expect(new Set(BUGS.map((bug) => bug.name)).size).toBe(BUGS.length);
    for (const { name, breaks } of [...BUGS, WAITING_FOR_AGREEMENT])
      for (const file of Object.keys(breaks)) inPlaceOf(name, file, await import(join(sources, file)));
  });

  it.each([
    ["demand-raise-beyond-free", "held-sum"],
    ["demand-given-up-and-used", "granted-beyond-record"],
    ["demand-nothing-given-up", "share"],
    ["demand-level-too-low", "utilisation"],
    ["charged-below-nothing", "refused"],
  ])(
    "of shares by demand are found within twenty seeds: %s",
    async (name, rule) => {
      await withBug(changeNamed(name), async (folder) => {
        const core = await loadCore(folder);
        const found: (string | undefined)[] = [];
        for (let seed = 0; seed < 20 && !found.includes(rule); seed++)
          found.push((await runPlan(core, planOf(seed, "atomic", "demand"))).violations[0]?.rule);
        expect(found).toContain(rule);
      });
    },
    60_000,
  );

  it("are refused when core has no such export, and when there is no such bug", () => {
    expect(() => inPlaceOf("drop-delayed", "consensus/holding.ts", {})).toThrow(/holding.ts has no export Holding/);
    expect(() => changeNamed("no-such-bug")).toThrow(/--with is "no-such-bug"; give one of/);
  });

  it("make seeds fail, and the schedule can be shortened while it still does", async () => {
    await withBug(changeNamed("raise-beyond-free"), async (folder) => {
      const core = await loadCore(folder);
      let seed = 0;
      while ((await runPlan(core, planOf(seed, "atomic"))).violations.length === 0) seed += 1;
      expect(seed).toBeLessThan(200);
      const plan = planOf(seed, "atomic");
      const kept = await minimise(core, plan);
      expect(kept.length).toBeLessThan(plan.faults.length);
      const { violations } = await runPlan(core, keepFaults(plan, kept));
      expect(violations.length).toBeGreaterThan(0);
      // Without any one of those that are left it passes, or breaks another rule.
      for (const index of kept) {
        const without = keepFaults(
          plan,
          kept.filter((other) => other !== index),
        );
        expect((await runPlan(core, without)).violations[0]?.rule).not.toBe(violations[0]?.rule);
      }
    });
  }, 60_000);
});
