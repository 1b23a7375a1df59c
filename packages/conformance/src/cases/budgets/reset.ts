import { budgetClient, budgetStore, newBudget, resetsBudgets } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** B11: what a reset leaves, which is nothing. */
export const reset: readonly CaseDefinition[] = casesOf({ rule: "B11", needs: ["budgets"] }, [
  {
    name: "a reset forgets a budget whole: charges, debts, leases, a pause, terms and what was stated",
    async run(context) {
      const store = resetsBudgets(context, await budgetStore(context));
      const budget = await newBudget(context);
      const one = await budget.take([1, 800], { terms: "old" });
      await budget.settle(one, [1, 1_500]);
      const two = await budget.take([1, 100], { force: true, terms: "old" });
      const stated = [{ limit: 0, rest: 0, resetMs: context.ms(60_000) }];
      await budget.send(budget.request({ stated, pauseMs: context.ms(60_000) }));
      await budget.reset(store);
      const fresh = await budget.take([1, 600], { terms: "new" });
      context.equal(fresh.answer.waitMs, 0, "the wait of the first call after a reset");
      await budget.settle(two, [0, 0]);
      await budget.rests([9, 400], "after a lease from before the reset was settled");
      await budget.take([1, 100], { id: two.id, terms: "new" });
      await budget.rests([8, 300], "after the id of a lease from before was used again");
    },
  },
  {
    name: "a reset touches no other budget, and does nothing where there is none",
    async run(context) {
      const store = resetsBudgets(context, await budgetStore(context));
      const budget = await newBudget(context);
      await budget.take([1, 500]);
      for (const other of [context.group(), budget.name.slice(0, -1), `${budget.name}%`, `${budget.name} `])
        await store.resetBudget(other);
      await budget.rests([9, 500], "after resets of other budgets");
      await context.refused(store.resetBudget(""), ["DT_INVALID_OPTION"], "resetBudget of a budget without a name");
      const given = store.resetBudget(budget.name, AbortSignal.abort());
      await context.refused(given, ["DT_ABORTED"], "resetBudget with an aborted signal");
      await budget.take([1, 500]);
    },
  },
  {
    name: "a budget whose data is damaged is refused until it is reset, and forgotten whole then",
    needs: ["budgets", "spoilBudget"],
    async run(context) {
      const budget = await newBudget(context);
      const other = await newBudget(context);
      await other.take([1, 100]);
      const taken = await budget.take([1, 500], { terms: "old" });
      await context.target.damage?.spoilBudget?.(budget.name);
      context.note("what is stored of the budget is damaged");
      // Of another client: one that remembers the budget may write it as it was.
      const client = resetsBudgets(context, await budgetClient(context));
      for (const request of [budget.reservation([1, 1]), budget.request()]) {
        const call = client.spend(budget.name, request);
        const error = await context.refused(call, ["DT_STORE_DATA"], "spend of a budget whose data is damaged");
        context.that(/reset/i.test(error.message), `the error about damaged data names no remedy: ${error.message}`);
      }
      await other.take([1, 100], {}, client);
      await budget.reset(client);
      const again = await budget.take([1, 700], { id: taken.id, terms: "new" }, client);
      context.equal(again.answer.waitMs, 0, "the wait of the first call of a budget that was forgotten");
      await budget.rests([9, 300], "of a budget that was forgotten");
    },
  },
]);
