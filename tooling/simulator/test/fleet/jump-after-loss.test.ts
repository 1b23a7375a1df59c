import { describe, expect, it } from "vitest";
import { planOf } from "../../src/fleet/plan/generate.ts";
import type { Plan } from "../../src/fleet/plan/plan.ts";
import { runPlan } from "../../src/fleet/soak/run-seed.ts";

/** After a loss of data the store's clock jumps ahead, before all survivors have claimed what they hold (R8). */

const jumpsAfterLoss = ({ faults }: Plan): boolean => {
  const loss = faults.find(({ kind }) => kind === "store-lost");
  return faults.some((fault) => fault.kind === "store-clock" && fault.byMs > 0 && loss && fault.atMs >= loss.atMs);
};

async function rulesBroken(plan: Plan, dataAge: true | "clock"): Promise<string[]> {
  const { violations } = await runPlan({ ...plan, settings: { ...plan.settings, dataAge } });
  return violations.map(({ rule }) => rule);
}

it("is in a fair part of the plans, with learning that is long enough for survivors that come late and the jump", () => {
  const plans = Array.from({ length: 100 }, (_, seed) => planOf(seed, "atomic")).filter(jumpsAfterLoss);
  expect(plans.length).toBeGreaterThan(10);
  for (const { settings } of plans)
    expect(settings.learningMs).toBeGreaterThan(settings.validityMs + settings.staleAfterMs / 4);
});

describe.each([
  [543, "epoch-sum"],
  [4502, "epoch-sum"],
])("seed %i", (seed, rule) => {
  const plan = planOf(seed, "atomic");

  it("grants too much where a store reads its data's age off its clock", async () => {
    expect(await rulesBroken(plan, "clock")).toContain(rule);
  });

  it("grants no more than max where it adds up", async () => expect(await rulesBroken(plan, true)).toEqual([]));
});
