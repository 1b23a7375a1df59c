import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { brokenCopy } from "../../src/sim/bugs/broken-copy.ts";
import type { Bug } from "../../src/sim/bugs/bug.ts";
import { changeNamed } from "../../src/sim/bugs/catalogue.ts";
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
