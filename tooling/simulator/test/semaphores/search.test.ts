import { describe, expect, it } from "vitest";
import { Trace } from "../../src/fleet/world/trace.ts";
import { planOf } from "../../src/semaphores/search/generate.ts";
import { PROFILES, STORES } from "../../src/semaphores/search/plan.ts";
import { type Outcome, runPlan } from "../../src/semaphores/search/run-seed.ts";

/** How many seeds of each profile and store run here; the command runs as many as it is told. */
const SEEDS = 35;

describe("random schedules of semaphores", () => {
  it.each(STORES.flatMap((store) => PROFILES.map((profile) => [store, profile] as const)))(
    "%s, signals %s: never more than max in flight but in a named state, and no slot is lost",
    async (store, profile) => {
      const outcomes: Outcome[] = [];
      for (let seed = 0; seed < SEEDS; seed++) outcomes.push(await runPlan(planOf(seed, profile, store)));
      expect(outcomes.flatMap(({ seed, violations }) => violations.map((one) => ({ seed, ...one })))).toEqual([]);
      expect(outcomes.reduce((sum, { begun }) => sum + begun, 0)).toBeGreaterThan(1_000 * SEEDS);
      // Named states do come up: what is not counted is not left out by accident.
      expect(outcomes.some(({ states }) => states.n2 > 0)).toBe(true);
      if (profile === "obeyed") expect(outcomes.every(({ states }) => states.n1 === 0)).toBe(true);
      // Writes that were lost do break the promise now and then, and nothing else does.
      if (profile !== "failover") expect(outcomes.every(({ states }) => states.n3 === 0)).toBe(true);
      else if (store === "V1") expect(outcomes.some(({ states }) => states.n3 > 0)).toBe(true);
    },
  );

  it("go the same way twice", async () => {
    for (const store of STORES) {
      const digest = async (): Promise<string> => {
        const trace = new Trace();
        await runPlan(planOf(7, "ignored", store), { trace });
        return trace.digest;
      };
      expect(await digest()).toBe(await digest());
    }
  });

  it("have the same faults on every store, and others for every seed and profile", () => {
    const faults = (seed: number, profile: (typeof PROFILES)[number], store: (typeof STORES)[number]) =>
      JSON.stringify(planOf(seed, profile, store).faults);
    expect(faults(1, "ignored", "V0")).toBe(faults(1, "ignored", "V1"));
    expect(faults(1, "ignored", "V0")).not.toBe(faults(2, "ignored", "V0"));
    expect(faults(1, "ignored", "V0")).not.toBe(faults(1, "obeyed", "V0"));
  });
});
