import { newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** B4: a limit counts as the last request declared it. */
export const changes: readonly CaseDefinition[] = casesOf({ rule: "B4", needs: ["budgets"] }, [
  {
    name: "a limit that is raised or lowered counts at once, and what was spent stays spent",
    why: "a rate is changed while processes run",
    async run(context) {
      const windowMs = context.ms(60_000);
      const budget = await newBudget(context, { limits: [{ name: "tokens", max: 1_000, windowMs, burst: 1_000 }] });
      const of = (max: number) => [{ name: "tokens", max, windowMs, burst: max }];
      await budget.take([600]);
      await budget.rests([1_400], "once the limit is 2,000", of(2_000));
      await budget.take([800], { limits: of(2_000), maxWaitMs: 0 });
      await budget.rests([-900], "once the limit is 500", of(500));
      await budget.refused([1], { limits: of(500), maxWaitMs: 0 }, "nearly three times the limit is spent");
    },
  },
  {
    name: "with a longer window what was charged stays for that long, and with a shorter one it goes that early",
    async run(context) {
      for (const factor of [2, 0.5]) {
        const windowMs = context.ms(60_000);
        const budget = await newBudget(context, { limits: [{ name: "tokens", max: 1_000, windowMs, burst: 1_000 }] });
        const limits = [{ name: "tokens", max: 1_000, windowMs: factor * windowMs, burst: 1_000 }];
        const first = await budget.take([600]);
        await budget.rests([400], "once the window is another", limits);
        const { atMs } = (await budget.take([500], { limits })).answer;
        const apartMs = atMs - first.answer.atMs;
        // A charge counts to the end of its slot, of the old window and then of the new one.
        const mostMs = factor * windowMs + ((1 + factor) * windowMs) / 240;
        context.that(
          apartMs >= factor * windowMs && apartMs <= mostMs,
          `two calls that do not fit a window of ${factor * windowMs} ms together are ${apartMs} ms apart`,
        );
      }
    },
  },
  {
    name: "a limit that joins is unused, and one that a request leaves out keeps what was spent",
    async run(context) {
      const budget = await newBudget(context);
      const windowMs = context.ms(60_000);
      const dollars = { name: "dollars", max: 8, windowMs, burst: 8 };
      const all = [...budget.defaults.limits, dollars];
      const first = await budget.take([1, 600]);
      await budget.take([1, 100, 2.5], { limits: all });
      await budget.rests([5.5], "of the limit that joined", [dollars]);
      await budget.rests([8, 300, 5.5], "of all limits", all);
      await budget.settle(first, [1, 100]);
      await budget.rests([8, 800, 5.5], "after a lease from before is settled", all);
      await budget.take([4], { limits: [dollars] });
      await budget.rests([8, 800, 1.5], "after a call of that limit alone", all);
    },
  },
]);
