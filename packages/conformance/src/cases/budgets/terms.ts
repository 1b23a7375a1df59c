import type { Asked, Budget } from "../../budgets/budget.ts";
import { budgetStore, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";

/** Longer than terms bind an idle budget. */
const IDLE_MS = 11_000;

/** B9: what all users of a budget agree on. */
export const terms: readonly CaseDefinition[] = casesOf({ rule: "B9", needs: ["budgets"] }, [
  {
    name: "a reservation with other terms is refused, and nothing of its request counts",
    why: "two versions of one configuration would each keep their own limits",
    async run(context) {
      const budget = await newBudget(context);
      const { id } = await budget.take([1, 600], { terms: "60,000 a minute" });
      await mismatch(context, budget, {
        terms: "90,000 a minute",
        settle: [{ id, costs: [0, 0], measured: true }],
        stated: [{ limit: 1, rest: 0, resetMs: context.ms(60_000) }],
        pauseMs: context.ms(60_000),
      });
      await budget.rests([9, 400], "after a request that was refused for its terms");
      context.equal((await budget.look()).pausedForMs, 0, "what is left of a pause that was refused");
    },
  },
  {
    name: "a reservation without terms is served in any case, and the terms stay",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1]);
      await budget.take([1, 1], { terms: "60,000 a minute" });
      await budget.take([1, 1]);
      await mismatch(context, budget, { terms: "90,000 a minute" });
    },
  },
  {
    name: "what reserves nothing is served whatever its terms: a settlement is never refused",
    async run(context) {
      const budget = await newBudget(context);
      const { id } = await budget.take([1, 600], { terms: "old" });
      const settle = [{ id, costs: [1, 100], measured: true }];
      const { rests } = await budget.send(budget.request({ terms: "new", settle }));
      context.equal(`${rests}`, "9,900", "units left after a settlement with other terms");
      await budget.take([1, 1], { terms: "old" });
    },
  },
  {
    name: "while terms of a budget take the place of others both are served, and no third ones",
    why: "a change is rolled out while the old version still runs",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1], { terms: "old" });
      await budget.take([1, 1], { terms: "new", formerTerms: "old" });
      await budget.take([1, 1], { terms: "old" });
      await budget.take([1, 1], { terms: "new", formerTerms: "old" });
      await mismatch(context, budget, { terms: "third" });
      await mismatch(context, budget, { terms: "third", formerTerms: "fourth" });
    },
  },
  {
    name: "terms bind a budget for no longer than 10 s after its last use",
    needs: ["budgets", "shiftClock"],
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1], { terms: "old" });
      context.note(`the store's clock is set ${IDLE_MS} ms ahead`);
      await context.target.faults?.shiftClock?.(IDLE_MS);
      try {
        await budget.take([1, 1], { terms: "new" });
        await mismatch(context, budget, { terms: "old" });
      } finally {
        await context.target.faults?.shiftClock?.(-IDLE_MS);
      }
    },
  },
]);

async function mismatch(context: CaseContext, budget: Budget, asked: Asked): Promise<void> {
  const call = (await budgetStore(context)).spend(budget.name, budget.reservation([1, 1], asked));
  await context.refused(call, ["DT_PACE_MISMATCH"], `a reservation with the terms ${JSON.stringify(asked.terms)}`);
}
