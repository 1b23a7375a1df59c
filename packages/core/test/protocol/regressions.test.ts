import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createThrottle, DtError } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { type Plan, runPlan, type Violation } from "@dt-tooling/worlds/sim";
import { describe, expect, it } from "vitest";

/** A schedule that broke a rule once, as the simulator found and shortened it. */
interface Regression {
  readonly found: Violation;
  readonly plan: Plan;
}

const folder = join(import.meta.dirname, "regressions");

describe("schedules that once broke a rule", () => {
  for (const file of readdirSync(folder)) {
    const { found, plan } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Regression;
    it(`${plan.profile} seed ${plan.seed} keeps ${found.rule}`, async () => {
      const outcome = await runPlan({ createThrottle, DtError, ...ledger }, plan);
      expect(outcome.violations).toEqual([]);
    });
  }
});
