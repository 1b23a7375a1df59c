import type { LimitLedger } from "@dt/core";
import type { Budget } from "../../budgets/budget.ts";
import { newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { SkippedCase } from "../../failure.ts";

const STORED = { stored: true };

/** B13: stored limits of budgets. */
export const storedLimits: readonly CaseDefinition[] = casesOf({ rule: "B13", needs: ["budgets"] }, [
  {
    name: "a budget goes by what is set for it, and what was spent stays spent",
    why: "an operator who lowers a limit would change nothing",
    async run(context) {
      const [budget, limits] = await budgetWithLimits(context);
      said(context, (await budget.take([1, 600], STORED)).answer.maxes, [10, 1_000]);
      await budget.setLimit(limits, { tokens: 500 });
      const { answer } = await budget.refused([1, 1], { ...STORED, maxWaitMs: 0 }, "600 of 500 are spent");
      said(context, answer.maxes, [10, 500]);
      context.equal(answer.rests[1], -100, "what is left of 500 after 600");
      await budget.setLimit(limits, { tokens: 2_000 });
      said(context, (await budget.take([1, 1_300], { ...STORED, maxWaitMs: 0 })).answer.maxes, [10, 2_000]);
      await budget.setLimit(limits, undefined);
      said(context, (await budget.send(budget.request(STORED))).maxes, [10, 1_000]);
    },
  },
  {
    name: "a request without stored goes by the smaller limits",
    async run(context) {
      const [budget, limits] = await budgetWithLimits(context);
      await budget.setLimit(limits, { requests: 20, tokens: 500 });
      await budget.take([1, 1], STORED);
      said(context, (await budget.look()).maxes, [10, 500]);
    },
  },
  {
    name: "a cost that is more than the limit waits, and comes when the limit is raised",
    async run(context) {
      const [budget, limits] = await budgetWithLimits(context);
      await budget.setLimit(limits, { tokens: 1 });
      const { answer } = await budget.refused([1, 800], STORED, "the limit is 1");
      context.equal(answer.limitedBy, 1, "what a cost waits for that is more than the limit");
      await budget.setLimit(limits, { tokens: 900 });
      await budget.take([1, 800], { ...STORED, maxWaitMs: 0 });
    },
  },
  {
    name: "a repeat changes no limits of a budget",
    async run(context) {
      const [budget, limits] = await budgetWithLimits(context);
      const { request } = await budget.take([1, 1], STORED);
      await budget.setLimit(limits, { tokens: 500 });
      said(context, (await budget.send(request)).maxes, [10, 1_000]);
    },
  },
]);

async function budgetWithLimits(context: CaseContext): Promise<readonly [Budget, Pick<LimitLedger, "setLimit">]> {
  const store = await context.store();
  if (!context.has(store, "setLimit")) throw new SkippedCase("the store keeps no stored limits (it has no setLimit())");
  return [await newBudget(context), store as typeof store & LimitLedger];
}

function said(context: CaseContext, maxes: readonly number[] | undefined, expected: readonly number[]): void {
  context.equal(JSON.stringify(maxes), JSON.stringify(expected), "each max that an answer states");
}
