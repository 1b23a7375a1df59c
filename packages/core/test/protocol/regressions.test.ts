import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Plan, runPlan, type Violation } from "@dt-tooling/simulator/fleet";
import { describe, expect, it } from "vitest";

/**
 * A schedule that broke a rule once, or that breaks it with a known bug put into core, as the simulator found and
 * shortened it.
 */
interface Regression {
  readonly found: Violation;
  readonly plan: Plan;
}

const folder = join(import.meta.dirname, "regressions");

describe("schedules that once broke a rule, or break it with a known bug put in", () => {
  for (const file of readdirSync(folder)) {
    const { found, plan } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Regression;
    it(`${plan.profile} seed ${plan.seed} keeps ${found.rule}`, async () => {
      const outcome = await runPlan(plan);
      expect(outcome.violations).toEqual([]);
    });
  }
});
