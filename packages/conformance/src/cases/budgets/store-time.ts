import type { Budget } from "../../budgets/budget.ts";
import type { BudgetStore } from "../../budgets/budget-store.ts";
import { asBudgets, budgetClient, budgetStore, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { withWallClock } from "../../wall-clock.ts";
import { pace } from "../pace.ts";

const HOUR_MS = 3_600_000;
/** Far more than two clients of a hybrid clock may differ by. */
const SKEW_MS = 240_000;

/** B2: whose clock, and which way it goes. */
export const storeTime: readonly CaseDefinition[] = casesOf({ rule: "B2", needs: ["budgets"] }, [
  {
    name: "a budget's time passes as real time does, whichever client asks",
    async run(context) {
      await paceOf(context, await newBudget(context), [await budgetStore(context), await budgetClient(context)]);
    },
  },
  {
    name: "a client whose own clock is an hour off is served at the same time as all others",
    needs: ["budgets", "skewedStore"],
    async run(context) {
      for (const skewMs of [HOUR_MS, -HOUR_MS]) {
        const create = () =>
          (context.target.createSkewedStore as (ms: number) => ReturnType<typeof context.target.createStore>)(skewMs);
        const skewed = asBudgets(context, await context.openStore(create));
        await fromTwoClocks(context, skewed, (run) => run());
      }
    },
  },
  {
    name: "a client whose wall clock (Date) is four minutes off is served at the same time as all others",
    needs: ["budgets", "distantClock"],
    alone: true,
    async run(context) {
      for (const skewMs of [SKEW_MS, -SKEW_MS]) {
        const off = <T>(run: () => Promise<T>): Promise<T> => withWallClock(skewMs, run);
        await fromTwoClocks(context, asBudgets(context, await off(() => context.openStore())), off);
      }
    },
  },
  {
    name: "when the store's clock jumps back, a budget's time goes on from where it was, and charges stay as long",
    needs: ["budgets", "shiftClock"],
    async run(context) {
      const shift = (byMs: number): Promise<void> => context.target.faults?.shiftClock?.(byMs) as Promise<void>;
      const budget = await newBudget(context);
      const first = await budget.take([1, 900]);
      context.note(`the store's clock is shifted by ${-HOUR_MS} ms`);
      await shift(-HOUR_MS);
      try {
        const before = await budget.look();
        await context.sleep(context.ms(200));
        const { answer } = await budget.take([1, 200]);
        const passedMs = answer.storeTimeMs - before.storeTimeMs;
        context.that(
          passedMs >= context.ms(150),
          `the budget's time went on by ${passedMs} ms in ${context.ms(200)} ms`,
        );
        const apartMs = answer.atMs - first.answer.atMs;
        context.that(
          apartMs >= context.ms(60_000) && apartMs <= context.ms(60_500),
          `a call that must wait for a window of ${context.ms(60_000)} ms begins after ${apartMs} ms`,
        );
      } finally {
        await shift(HOUR_MS);
      }
    },
  },
  {
    name: "when the store's clock jumps ahead, what was charged has left the window, and a pause is over",
    needs: ["budgets", "shiftClock"],
    async run(context) {
      const shift = (byMs: number): Promise<void> => context.target.faults?.shiftClock?.(byMs) as Promise<void>;
      const budget = await newBudget(context);
      await budget.take([1, 1_000], { pauseMs: context.ms(20_000) });
      await shift(HOUR_MS);
      try {
        const { answer } = await budget.take([1, 1_000]);
        context.equal(answer.waitMs, 0, "the wait of a call an hour later");
      } finally {
        await shift(-HOUR_MS);
      }
    },
  },
]);

/** A client with a wrong clock and an honest one spend of one budget. */
async function fromTwoClocks(
  context: CaseContext,
  skewed: BudgetStore,
  off: <T>(run: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const budget = await newBudget(context);
  await budget.take([1, 900]);
  await off(() => budget.take([1, 200], {}, skewed));
  await budget.take([1, 100]);
  await budget.rests([7, -200], "after calls of two clients");
  const spend: BudgetStore["spend"] = (...args) => off(() => skewed.spend(...args));
  await paceOf(context, await newBudget(context), [await budgetStore(context), { spend }], 3);
}

/** Whether the budget's time passes as real time does, whichever of the stores is asked. */
function paceOf(
  context: CaseContext,
  budget: Budget,
  stores: readonly Pick<BudgetStore, "spend">[],
  calls = 6,
): Promise<void> {
  const asked = stores.map((store) => () => store.spend(budget.name, budget.reservation([1, 1])));
  return pace(context, asked, { calls, pauseMs: 20, mayStandStill: context.clockErrorMs > 0 });
}
