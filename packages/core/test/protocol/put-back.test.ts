import { readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createThrottle, DtError } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { brokenCopy, changeNamed, loadCore, type Plan, type Rule, runPlan } from "@dt-tooling/worlds/sim";
import { describe, expect, it } from "vitest";

/** A bug that core once had, the shortest schedule in which the simulator found it, and the rule that was broken. */
interface Regression {
  readonly bug: string;
  readonly rule: Rule;
  readonly plan: Plan;
}

const folder = join(import.meta.dirname, "put-back");
const sources = join(import.meta.dirname, "../../src");

describe("a bug that core once had", () => {
  for (const file of readdirSync(folder)) {
    const { bug, rule, plan } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Regression;
    it(`passes, and breaks ${rule} with the bug put back (${bug}, atomic seed ${plan.seed})`, async () => {
      expect((await runPlan({ createThrottle, DtError, ...ledger }, plan)).violations).toEqual([]);
      const broken = await brokenCopy(sources, changeNamed(bug));
      try {
        const { violations } = await runPlan(await loadCore(broken), plan);
        expect(violations[0]?.rule).toBe(rule);
      } finally {
        await rm(broken, { recursive: true, force: true });
      }
    });
  }
});
