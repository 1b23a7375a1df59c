import type { Leased } from "../../budgets/budget.ts";
import { budgetClient, newBudget } from "../../budgets/budget-stores.ts";
import { near } from "../../budgets/near.ts";
import { ROUNDING_MS } from "../../budgets/rounding.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";

/** B3: all of a cost at one instant, or nothing. */
export const reservation: readonly CaseDefinition[] = casesOf({ rule: "B3", needs: ["budgets"] }, [
  {
    name: "a cost is reserved in each of its limits or in none, and what lacks is named",
    why: "a part that a refusal keeps is spent by no call",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 900]);
      const few = await budget.refused([1, 200], { maxWaitMs: 0 }, "100 tokens are left");
      context.equal(few.answer.limitedBy, 1, "what limits a cost of 200 tokens where 100 are left");
      await budget.rests([9, 100], "after a refusal");
      await budget.take([9, 100]);
      const none = await budget.refused([1, 0], { maxWaitMs: 0 }, "no requests are left");
      context.equal(none.answer.limitedBy, 0, "what limits a request where none are left");
      await budget.rests([0, 0], "after another refusal");
    },
  },
  {
    name: "what a refused request settles is settled",
    async run(context) {
      const budget = await newBudget(context);
      const { id } = await budget.take([1, 900]);
      const settle = [{ id, costs: [1, 600], measured: true }];
      await budget.refused([1, 500], { maxWaitMs: 0, settle }, "400 tokens are left");
      await budget.rests([9, 400], "after a refusal that settled a lease");
    },
  },
  {
    name: "a request settles before it reserves",
    async run(context) {
      const budget = await newBudget(context);
      const { id } = await budget.take([1, 900]);
      const next = await budget.take([1, 500], { settle: [{ id, costs: [1, 100], measured: false }] });
      atOnce(context, next, "a cost that fits once another one is settled");
    },
  },
  {
    name: "a cost in several limits has one instant, the latest of theirs, and names the limit that asks for it",
    async run(context) {
      const windowMs = context.ms(60_000);
      const limits = [
        { name: "requests", max: 10, windowMs, burst: 1 },
        { name: "tokens", max: 1_000, windowMs, burst: 1_000 },
      ];
      const budget = await newBudget(context, { limits });
      const first = await budget.take([1, 400]);
      const second = await budget.take([1, 400]);
      context.equal(second.answer.limitedBy, 0, "what the second call waits for");
      near(context, second.answer.atMs, first.answer.atMs + windowMs / 10, "the second call, by the pace of requests");
      const third = await budget.take([1, 400]);
      context.equal(third.answer.limitedBy, 1, "what the third call waits for");
      context.that(
        third.answer.atMs >= first.answer.atMs + windowMs,
        `the third call may begin at ${third.answer.atMs}, in the window of the first at ${first.answer.atMs}`,
      );
    },
  },
  {
    name: "a reservation is made for up to maxWaitMs ahead, and a refusal answers how long the wait would be",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1_000]);
      const { waitMs } = (await budget.refused([1, 10], { maxWaitMs: 0 }, "no tokens are left")).answer;
      await budget.refused([1, 10], { maxWaitMs: waitMs / 2 }, "it would begin later than maxWaitMs");
      const { answer } = await budget.take([1, 10], { maxWaitMs: waitMs });
      near(context, answer.atMs, answer.storeTimeMs + answer.waitMs, "the instant of a call that waits");
      context.that(answer.waitMs <= waitMs, `a call waits for ${answer.waitMs} ms, and ${waitMs} was answered before`);
    },
  },
  {
    name: "a refused cost is granted after exactly the wait that was answered",
    why: "too short, and callers come back in vain; too long, and the limit is not used",
    async run(context) {
      const limits = [{ name: "tokens", max: 100, windowMs: context.ms(480), burst: 100 }];
      const budget = await newBudget(context, { limits });
      const { atMs } = (await budget.take([100])).answer;
      const { storeTimeMs, waitMs } = (await budget.refused([100], { maxWaitMs: 0 }, "no tokens are left")).answer;
      await context.until(async () => {
        const { answer } = await budget.ask([100], { maxWaitMs: 0 });
        const lateMs = answer.storeTimeMs - storeTimeMs - waitMs;
        context.that(
          answer.granted ? lateMs >= -ROUNDING_MS : lateMs < ROUNDING_MS,
          `a cost is ${answer.granted ? "granted" : "refused"} ${lateMs} ms after the wait that was answered`,
        );
        if (!answer.granted) return undefined;
        context.that(answer.atMs - atMs >= context.ms(480), "two calls are in one window that has room for one");
        return true;
      }, "a refused cost is never granted");
    },
  },
  {
    name: "a call that needs another limit only is not held up by one that waits",
    why: "one saturated model would hold up all others",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1_000]);
      context.equal(
        (await budget.take([1, 500])).answer.limitedBy,
        1,
        "what a call waits for where no tokens are left",
      );
      atOnce(context, await budget.take([1, 0]), "a call that needs no tokens");
      atOnce(context, await budget.take([0, 0]), "a call that costs nothing");
    },
  },
  {
    name: "a reservation by force is made at once, is charged, and is answered the wait that it was spared",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1_000]);
      const { answer } = await budget.take([1, 100], { force: true, maxWaitMs: 0 });
      context.equal(answer.atMs, answer.storeTimeMs, "the instant of a reservation by force");
      context.equal(answer.limitedBy, 1, "the cause of the wait that it was spared");
      context.that(answer.waitMs > context.ms(30_000), `the wait that it was spared is ${answer.waitMs} ms`);
      await budget.rests([8, -100], "after a reservation by force");
    },
  },
  {
    name: "limits are known by their names, in any order in which a request has them",
    async run(context) {
      const budget = await newBudget(context);
      const limits = [...budget.defaults.limits].reverse();
      await budget.take([1, 700]);
      const turned = await budget.take([200, 1], { limits }, await budgetClient(context));
      context.equal(JSON.stringify(turned.answer.rests), "[100,8]", "units left, in the order of the request");
      const refused = await budget.refused([200, 1], { limits, maxWaitMs: 0 }, "100 tokens are left");
      context.equal(refused.answer.limitedBy, 0, "the place of tokens in a request that has them first");
      await budget.rests([8, 100], "in the order of the first request");
    },
  },
]);

function atOnce(context: CaseContext, { answer }: Leased, what: string): void {
  context.equal(answer.waitMs, 0, `waitMs of ${what}`);
  context.equal(answer.atMs, answer.storeTimeMs, `the instant of ${what}`);
  context.equal(answer.limitedBy, undefined, `limitedBy of ${what}`);
}
