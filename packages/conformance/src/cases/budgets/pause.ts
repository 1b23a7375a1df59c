import { newBudget } from "../../budgets/budget-stores.ts";
import { near } from "../../budgets/near.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

const DAY_MS = 86_400_000;

/** B5: pauses. */
export const pause: readonly CaseDefinition[] = casesOf({ rule: "B5", needs: ["budgets"] }, [
  {
    name: "no reservation begins before a pause is over, and its answer names the pause",
    why: "a callee that refuses one process refuses all",
    async run(context) {
      const budget = await newBudget(context);
      const pauseMs = context.ms(20_000);
      const paused = await budget.send(budget.request({ pauseMs }));
      near(context, paused.pausedForMs, pauseMs, "what is left of a pause that has just begun");
      const { answer } = await budget.take([1, 1]);
      context.equal(answer.limitedBy, -1, "what a call waits for during a pause");
      const endMs = paused.storeTimeMs + pauseMs;
      near(context, answer.atMs, endMs, "the instant of a call during a pause");
      await budget.refused([1, 1], { maxWaitMs: 0 }, "the budget is paused");
      await budget.rests([9, 999], "during a pause");
    },
  },
  {
    name: "a pause grows only",
    async run(context) {
      const budget = await newBudget(context);
      const pausedFor = async (pauseMs: number): Promise<number> =>
        (await budget.send(budget.request({ pauseMs }))).pausedForMs;
      await pausedFor(context.ms(40_000));
      context.that((await pausedFor(context.ms(1_000))) > context.ms(20_000), "a pause is shorter after a shorter one");
      context.that((await pausedFor(0)) > context.ms(20_000), "a pause is over after a request without one");
      near(context, await pausedFor(context.ms(50_000)), context.ms(50_000), "what is left of a longer pause");
    },
  },
  {
    name: "a pause that comes with a reservation holds it",
    async run(context) {
      const budget = await newBudget(context);
      const pauseMs = context.ms(10_000);
      const { answer } = await budget.take([1, 1], { pauseMs });
      context.that(Math.abs(answer.waitMs - pauseMs) < 0.01, `a call waits for ${answer.waitMs} ms of its own pause`);
      context.equal(answer.limitedBy, -1, "the cause of its wait");
    },
  },
  {
    name: "a pause moves no lease that was made before it, and holds up none that is made by force",
    async run(context) {
      const budget = await newBudget(context);
      const first = await budget.take([1, 1]);
      await budget.send(budget.request({ pauseMs: context.ms(30_000) }));
      const again = await budget.send(first.request);
      context.equal(again.atMs, first.answer.atMs, "the instant of a lease from before the pause");
      const { answer } = await budget.take([1, 1], { force: true });
      context.equal(answer.atMs, answer.storeTimeMs, "the instant of a reservation by force");
      context.equal(answer.limitedBy, -1, "the cause of the wait that it was spared");
    },
  },
  {
    name: "a pause and a limit: the later of both",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1_000], { pauseMs: context.ms(5_000) });
      context.equal((await budget.take([1, 0])).answer.limitedBy, -1, "what a call without tokens waits for");
      context.equal((await budget.take([1, 500])).answer.limitedBy, 1, "what a call with tokens waits for");
    },
  },
  {
    name: "a pause is over by itself, and a day at most is counted",
    async run(context) {
      const budget = await newBudget(context);
      const pauseMs = context.ms(200);
      const { storeTimeMs } = await budget.send(budget.request({ pauseMs }));
      await context.until(async () => {
        const { answer } = await budget.ask([1, 1], { maxWaitMs: 0 });
        const passedMs = answer.storeTimeMs - storeTimeMs;
        context.that(
          answer.granted === passedMs >= pauseMs,
          `a call is ${answer.granted ? "granted" : "refused"} ${passedMs} ms after a pause of ${pauseMs} ms`,
        );
        return answer.granted ? true : undefined;
      }, "a pause is never over");
      const { pausedForMs } = await budget.send(budget.request({ pauseMs: 30 * DAY_MS }));
      near(context, pausedForMs, DAY_MS, "what is left of a pause of 30 days");
    },
  },
]);
