import type { Budget } from "../../budgets/budget.ts";
import { budgetStore, inspectsBudgets, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";

/** B6: what measured costs teach. */
export const learning: readonly CaseDefinition[] = casesOf({ rule: "B6", needs: ["budgets"] }, [
  {
    name: "where measured costs are far from the estimates a part of the limit is kept free",
    why: "calls that run are charged by estimates, and the callee counts what they cost",
    async run(context) {
      const budget = await newBudget(context);
      await settleFarOff(context, budget, true);
      const { answer } = await budget.refused([1, 890], { maxWaitMs: 0 }, "some of the 900 tokens are kept free");
      context.equal(answer.limitedBy, 1, "what a call waits for that would take all");
      await budget.rests([9, 900], "with a part kept free");
    },
  },
  {
    name: "costs that were not measured, and estimates that were right, teach nothing",
    async run(context) {
      const budget = await newBudget(context);
      await settleFarOff(context, budget, false);
      const right = await budget.take([0, 400]);
      await context.sleep(context.ms(50));
      await budget.settle(right, [0, 400]);
      const { answer } = await budget.take([1, 500], { maxWaitMs: 0 });
      context.equal(answer.waitMs, 0, "the wait of a call that takes all that is left");
    },
  },
  {
    name: "a call that costs all that the limit has is granted although a part is kept free",
    why: "it would wait for ever otherwise",
    async run(context) {
      const budget = await newBudget(context);
      const one = await budget.take([1, 1_000]);
      await context.sleep(context.ms(50));
      await budget.settle(one, [0, 0]);
      await budget.take([1, 1_000], { maxWaitMs: 0 });
    },
  },
  {
    name: "what is kept free is a fifth of a limit at most, grows with what is learned, and fades within a window",
    async run(context) {
      const store = inspectsBudgets(context, await budgetStore(context));
      const windowMs = context.ms(480);
      const limits = [{ name: "tokens", max: 1_000, windowMs, burst: 1_000 }];
      const budget = await newBudget(context, { limits, keepMs: context.ms(60_000) });
      // A pause keeps the budget in sight when its window is empty.
      await budget.send(budget.request({ pauseMs: context.ms(60_000) }));
      await learns([1_000], [10], (margin) => margin > 0);
      await learns([1_000], [400_000], (margin) => margin === 200);
      await context.until(
        async () => ((await budget.inspect(store)).limits[0]?.margin === 0 ? true : undefined),
        "a margin never fades",
      );

      async function learns(
        estimate: readonly number[],
        costs: readonly number[],
        isRight: (margin: number) => boolean,
      ): Promise<void> {
        const one = await budget.take(estimate, { force: true });
        await context.sleep(windowMs / 8);
        const settled = await budget.settle(one, costs);
        const { limits: shown, storeTimeMs } = await budget.inspect(store);
        const margin = shown[0]?.margin ?? 0;
        // On a machine that stood still it has faded.
        const isLate = storeTimeMs - settled.storeTimeMs > windowMs / 8;
        context.that(isLate || isRight(margin), `${margin} is kept free after ${costs} were spent of ${estimate}`);
      }
    },
  },
]);

/** A call that was estimated at 500 tokens and cost none; 100 are spent by another one. */
async function settleFarOff(context: CaseContext, budget: Budget, measured: boolean): Promise<void> {
  await budget.take([0, 100]);
  const one = await budget.take([0, 500]);
  await context.sleep(context.ms(50));
  await budget.settle(one, [0, 0], measured);
  await budget.take([1, 0]);
}
