import type { Budget } from "../../budgets/budget.ts";
import type { BudgetStore } from "../../budgets/budget-store.ts";
import { asBudgets, budgetStore, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { rejects } from "../rejects.ts";
import { settledAs } from "../settled-as.ts";

/** B10: cancellation and closing. */
export const calls: readonly CaseDefinition[] = casesOf({ rule: "B10", needs: ["budgets"] }, [
  {
    name: "spend is refused at once with a signal that is aborted already, and does nothing",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 100]);
      const signal = AbortSignal.abort(new Error("given up"));
      const given = (await budgetStore(context)).spend(budget.name, budget.reservation([1, 100]), signal);
      const error = await context.refused(given, ["DT_ABORTED"], "spend with an aborted signal");
      context.equal(error.effect, "definite", "effect of a call that was never sent");
      await budget.rests([9, 900], "after a call with an aborted signal");
    },
  },
  {
    name: "a reservation whose signal aborts while it runs settles, and a lease that it may have made can be given up by its id",
    async run(context) {
      const budget = await newBudget(context);
      const store = await budgetStore(context);
      for (let round = 0; round < 6; round++) {
        const name = `${budget.name}-${round}`;
        const request = budget.reservation([1, 400]);
        const controller = new AbortController();
        const call = store.spend(name, request, controller.signal);
        if (round % 3 === 0) controller.abort();
        else void context.sleep(round % 3).then(() => controller.abort());
        const what = "a reservation with an aborted signal";
        const outcome = await context.within(what, context.ms(1_000), settledAs(call));
        context.that(["done", "DT_ABORTED"].includes(outcome), `${what} ended with ${outcome}`);
        const settle = [{ id: request.reserve.id, costs: [0, 0], measured: false }];
        // A request that was on its way may arrive after its settlement: then it is given back the next time.
        await context.until(async () => {
          const { rests } = await store.spend(name, budget.request({ settle }));
          return `${rests}` === "10,1000" ? true : undefined;
        }, `the lease that ${what} may have made cannot be given up`);
      }
    },
  },
  {
    name: "after close every call of a budget is refused as closed, and its leases stay",
    async run(context) {
      const budget = await newBudget(context);
      const store = asBudgets(context, await context.openStore());
      await store.spend(budget.name, budget.reservation([1, 100]));
      await store.close();
      for (const [what, call] of everyCall(budget, store))
        await context.refused(call(), ["DT_STORE_CLOSED"], `${what} on a closed store`);
    },
  },
  {
    name: "closing one store gives back nothing of a budget",
    needs: ["budgets", "separateStores"],
    async run(context) {
      const budget = await newBudget(context);
      const closing = asBudgets(context, await context.openStore());
      await budget.take([1, 300], {}, closing);
      await closing.close();
      await budget.rests([9, 700], "after the store that reserved was closed");
    },
  },
  {
    name: "calls of a budget in flight settle when the store is closed",
    async run(context) {
      const budget = await newBudget(context);
      const store = asBudgets(context, await context.openStore());
      const under = Array.from({ length: 20 }, () => settledAs(store.spend(budget.name, budget.reservation([0, 1]))));
      await store.close();
      for (const outcome of await Promise.all(under))
        context.that(
          outcome === "done" || outcome === "DT_STORE_CLOSED",
          `a call in flight while the store was closed ended with ${outcome}`,
        );
    },
  },
  {
    name: "failures of budget calls come as rejections, never as exceptions",
    async run(context) {
      const budget = await newBudget(context);
      const store = (await context.bareStore()) as BudgetStore;
      await rejects(context, () => store.spend("", budget.request()));
      await store.close();
      for (const [, call] of everyCall(budget, store)) await rejects(context, call);
    },
  },
]);

function everyCall(budget: Budget, store: BudgetStore): readonly (readonly [string, () => Promise<unknown>])[] {
  const { resetBudget, inspectBudget } = store;
  return [
    ["spend", () => store.spend(budget.name, budget.reservation([1, 1]))],
    ...(resetBudget ? [["resetBudget", () => resetBudget.call(store, budget.name)] as const] : []),
    ...(inspectBudget ? [["inspectBudget", () => inspectBudget.call(store, budget.name)] as const] : []),
  ];
}
