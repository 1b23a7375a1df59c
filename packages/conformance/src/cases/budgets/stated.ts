import { newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** B7: what a callee states. */
export const stated: readonly CaseDefinition[] = casesOf({ rule: "B7", needs: ["budgets"] }, [
  {
    name: "what a callee states lowers what is left, and never raises it",
    why: "a callee states its own count, which other callers share",
    async run(context) {
      const budget = await newBudget(context);
      const resetMs = context.ms(50_000);
      const say = (rest: number) => budget.send(budget.request({ stated: [{ limit: 1, rest, resetMs }] }));
      await budget.take([1, 100]);
      for (const [rest, left] of [
        [5_000, 900],
        [900, 900],
        [400, 400],
        [700, 400],
        [1_000, 400],
        [0, 0],
      ] as const)
        context.equal((await say(rest)).rests[1], left, `tokens left after a callee stated ${rest}`);
      await budget.rests([9, 0], "of both limits");
      const { answer } = await budget.refused([1, 1], { maxWaitMs: 0 }, "the callee stated that nothing is left");
      context.equal(answer.limitedBy, 1, "what a call waits for");
      context.that(
        answer.waitMs > resetMs / 2 && answer.waitMs <= resetMs + context.ms(500),
        `a call waits for ${answer.waitMs} ms, and the callee's limit is full again in ${resetMs} ms`,
      );
    },
  },
  {
    name: "what is stated counts for the reservation of the same request",
    async run(context) {
      const budget = await newBudget(context);
      const all = [
        { limit: 0, rest: 5, resetMs: context.ms(50_000) },
        { limit: 1, rest: 200, resetMs: context.ms(50_000) },
      ];
      await budget.refused([1, 300], { maxWaitMs: 0, stated: all }, "the callee stated that 200 tokens are left");
      await budget.rests([5, 200], "after a refusal that came with what a callee stated");
    },
  },
  {
    name: "what is stated fades when the callee's limit is full again",
    async run(context) {
      const budget = await newBudget(context);
      const resetMs = context.ms(300);
      const { storeTimeMs } = await budget.send(budget.request({ stated: [{ limit: 1, rest: 10, resetMs }] }));
      await context.until(async () => {
        const answer = await budget.look();
        const passedMs = answer.storeTimeMs - storeTimeMs;
        if (answer.rests[1] === 10) return undefined;
        context.equal(answer.rests[1], 1_000, "tokens left when what was stated has faded");
        context.that(passedMs >= resetMs, `what was stated for ${resetMs} ms has faded after ${passedMs} ms`);
        return true;
      }, "what was stated never fades");
    },
  },
  {
    name: "what is stated counts for a window at most",
    async run(context) {
      const windowMs = context.ms(480);
      const budget = await newBudget(context, { limits: [{ name: "tokens", max: 100, windowMs, burst: 100 }] });
      const resetMs = context.ms(3_600_000);
      const { storeTimeMs } = await budget.send(budget.request({ stated: [{ limit: 0, rest: 0, resetMs }] }));
      await context.until(async () => {
        const answer = await budget.look();
        if (answer.rests[0] === 100) return true;
        const passedMs = answer.storeTimeMs - storeTimeMs;
        context.that(passedMs <= windowMs + windowMs / 240, `what was stated counts after ${passedMs} ms`);
        return undefined;
      }, "what was stated for longer than a window never fades");
    },
  },
]);
