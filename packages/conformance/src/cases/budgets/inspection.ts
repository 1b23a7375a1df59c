import { asBudgets, budgetClient, budgetStore, inspectsBudgets, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { NEAR_MISSES } from "../../hostile-names.ts";

/** Longer than terms bind an idle budget. */
const IDLE_MS = 11_000;

/** B12: what a budget holds. */
export const inspection: readonly CaseDefinition[] = casesOf({ rule: "B12", needs: ["budgets"] }, [
  {
    name: "a budget shows its limits, what is spent and kept free of them, open leases, a pause, and terms",
    async run(context) {
      const store = inspectsBudgets(context, await budgetStore(context));
      const budget = await newBudget(context);
      context.equal(await store.inspectBudget(budget.name), undefined, "what is held of a budget that was never used");
      const one = await budget.take([1, 600], { terms: "old" });
      await budget.take([1, 300], { terms: "new", formerTerms: "old" });
      const taken = await budget.inspect(store);
      context.equal(taken.open, 2, "leases that are open");
      context.equal(`${taken.terms} for ${taken.formerTerms}`, "new for old", "terms and former terms");
      context.equal(`${taken.limits.map(({ name, spent }) => `${name} ${spent}`)}`, "requests 2,tokens 900", "spent");
      await context.sleep(context.ms(50));
      await budget.settle(one, [1, 0]);
      await budget.send(budget.request({ pauseMs: context.ms(50_000) }));
      const settled = await budget.inspect(store);
      context.equal(settled.open, 1, "leases that are open after one is settled");
      context.equal(settled.limits[1]?.spent, 300, "tokens spent after one lease is settled");
      context.that((settled.limits[1]?.margin ?? 0) > 0, "nothing is kept free after an estimate that was far off");
      context.that(settled.pausedForMs > context.ms(20_000), "no pause is shown");
    },
  },
  {
    name: "an inspection changes nothing of a budget",
    async run(context) {
      const store = inspectsBudgets(context, await budgetStore(context));
      const budget = await newBudget(context);
      const first = await budget.take([1, 900]);
      const ahead = await budget.take([1, 400]);
      for (let i = 0; i < 3; i++) await budget.inspect(store);
      context.equal((await budget.send(ahead.request)).atMs, ahead.answer.atMs, "the instant of a repeat");
      await budget.settle(first, [1, 100]);
      await budget.rests([8, 500], "after inspections");
    },
  },
  {
    name: "a budget of which nothing is left is not there",
    async run(context) {
      const store = inspectsBudgets(context, await budgetStore(context));
      const limits = [{ name: "tokens", max: 10, windowMs: context.ms(240), burst: 10 }];
      const budget = await newBudget(context, { limits, keepMs: 0 });
      await budget.take([5]);
      await context.until(
        async () => ((await store.inspectBudget(budget.name)) === undefined ? true : undefined),
        "inspectBudget still knows a budget whose window is empty",
      );
    },
  },
  {
    name: "a budget's terms are shown while they bind, and no longer",
    needs: ["budgets", "shiftClock"],
    async run(context) {
      const store = inspectsBudgets(context, await budgetStore(context));
      const budget = await newBudget(context);
      await budget.take([1, 1], { terms: "old" });
      context.equal((await budget.inspect(store)).terms, "old", "terms of a budget that was used just now");
      context.note(`the store's clock is set ${IDLE_MS} ms ahead`);
      await context.target.faults?.shiftClock?.(IDLE_MS);
      try {
        context.equal((await budget.inspect(store)).terms, undefined, "terms of a budget that was idle for long");
      } finally {
        await context.target.faults?.shiftClock?.(-IDLE_MS);
      }
    },
  },
  {
    name: "budgets whose names are nearly the same show nothing of each other",
    async run(context) {
      const store = inspectsBudgets(context, await budgetStore(context));
      const unique = context.group();
      const budget = await newBudget(context, {}, `${unique}name`);
      await budget.take([1, 1]);
      for (const other of NEAR_MISSES.map((text) => `${unique}${text}`).filter((name) => name !== budget.name))
        context.equal(await store.inspectBudget(other), undefined, `what ${JSON.stringify(other)} holds`);
      context.equal((await budget.inspect(store)).budget, budget.name, "the budget's name");
    },
  },
  {
    name: "an inspection of a budget is refused without a name, when it is given up, and when the store is closed",
    async run(context) {
      const store = inspectsBudgets(context, await budgetStore(context));
      const budget = await newBudget(context);
      await budget.take([1, 1]);
      await context.refused(store.inspectBudget(""), ["DT_INVALID_OPTION"], "inspectBudget of a budget without a name");
      const given = store.inspectBudget(budget.name, AbortSignal.abort());
      await context.refused(given, ["DT_ABORTED"], "inspectBudget with an aborted signal");
      const closed = inspectsBudgets(context, asBudgets(context, await context.openStore()));
      await closed.close();
      await context.refused(closed.inspectBudget(budget.name), ["DT_STORE_CLOSED"], "inspectBudget on a closed store");
    },
  },
  {
    name: "an inspection of a budget whose data is damaged is refused, with the remedy",
    needs: ["budgets", "spoilBudget"],
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1]);
      await context.target.damage?.spoilBudget?.(budget.name);
      context.note("what is stored of the budget is damaged");
      // Of another client: one that remembers the budget need not read it.
      const client = inspectsBudgets(context, await budgetClient(context));
      const what = "inspectBudget of a budget whose data is damaged";
      const error = await context.refused(client.inspectBudget(budget.name), ["DT_STORE_DATA"], what);
      context.that(/reset/i.test(error.message), `the error about damaged data names no remedy: ${error.message}`);
    },
  },
]);
