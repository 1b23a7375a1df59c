import type { Budget, Leased } from "../../budgets/budget.ts";
import { newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";

/** Slots of a window: a charge counts for one of them longer than the window at most. */
const SLOTS = 240;

/**
 * B4: what a window holds, and the pace. Whatever the case, the answers to all calls of a budget are added up: no
 * window may hold more than the limit.
 */
export const window: readonly CaseDefinition[] = casesOf({ rule: "B4", needs: ["budgets"] }, [
  {
    name: "no window holds more than the limits, whatever is reserved ahead, settled, stated, paused and refused",
    why: "this is the promise that everything else is for",
    async run(context) {
      const windowMs = context.ms(60_000);
      const limits = [
        { name: "requests", max: 20, windowMs, burst: 6 },
        { name: "tokens", max: 1_000, windowMs, burst: 300 },
      ];
      const budget = await newBudget(context, { limits, keeps: [0, 0.25, 0.5], maxWaitMs: 5 * windowMs });
      await spendAtRandom(context, budget, (step) => step < 150);
    },
  },
  {
    name: "no window holds more than the limits as time passes",
    async run(context) {
      const windowMs = context.ms(240);
      const limits = [
        { name: "requests", max: 20, windowMs, burst: 20 },
        { name: "tokens", max: 1_000, windowMs, burst: 400 },
      ];
      const budget = await newBudget(context, { limits, keeps: [0, 0.25, 0.5], maxWaitMs: windowMs / 4 });
      const endMs = context.now() + 5 * windowMs;
      await spendAtRandom(context, budget, (step) => step < 20 || (step < 400 && context.now() < endMs), 0.5);
    },
  },
  {
    name: "a charge leaves the window a window after its call, and a 240th of one later at most",
    async run(context) {
      const windowMs = context.ms(480);
      const budget = await newBudget(context, { limits: [{ name: "tokens", max: 100, windowMs, burst: 100 }] });
      const { atMs } = (await budget.take([60])).answer;
      await context.until(async () => {
        const { rests, storeTimeMs } = await budget.look();
        const agoMs = storeTimeMs - atMs;
        const isLeft = rests[0] === 100;
        context.that(
          isLeft ? agoMs >= windowMs : agoMs <= windowMs + windowMs / SLOTS,
          `${rests[0]} of 100 tokens are left ${agoMs} ms after 60 were spent in a window of ${windowMs} ms`,
        );
        return isLeft ? true : undefined;
      }, "a charge never leaves the window");
    },
  },
  {
    name: "beyond the burst, calls come evenly",
    why: "calls that come in waves meet a callee that counts in shorter windows",
    async run(context) {
      const windowMs = context.ms(60_000);
      const budget = await newBudget(context, { limits: [{ name: "tokens", max: 1_000, windowMs, burst: 100 }] });
      const first = await budget.take([100]);
      for (let i = 1; i < 5; i++) {
        const { atMs } = (await budget.take([50])).answer;
        const dueMs = first.answer.atMs + i * 50 * (windowMs / 1_000);
        context.that(Math.abs(atMs - dueMs) < 0.01, `call ${i} beyond the burst is due at ${dueMs}, and is at ${atMs}`);
      }
    },
  },
  {
    name: "a call that costs more than the burst is due when the burst is there",
    async run(context) {
      const windowMs = context.ms(60_000);
      const budget = await newBudget(context, { limits: [{ name: "tokens", max: 1_000, windowMs, burst: 100 }] });
      const first = await budget.take([400]);
      context.equal(first.answer.waitMs, 0, "the wait of a call that costs four times the burst, on an idle budget");
      const { atMs } = (await budget.take([400])).answer;
      const dueMs = first.answer.atMs + 400 * (windowMs / 1_000);
      context.that(Math.abs(atMs - dueMs) < 0.01, `the call after it is due at ${dueMs}, and is at ${atMs}`);
    },
  },
  {
    name: "after idle time the burst is there again",
    async run(context) {
      const windowMs = context.ms(1_200);
      const everyMs = windowMs / 120;
      const budget = await newBudget(context, { limits: [{ name: "calls", max: 120, windowMs, burst: 4 }] });
      for (let round = 0; round < 3; round++) {
        const taken: Leased[] = [];
        while (taken.length < 12) taken.push(await budget.take([1]));
        const startMs = (taken[0] as Leased).answer.atMs;
        const atOnce = taken.filter(({ answer }) => answer.waitMs === 0);
        context.that(
          atOnce.length >= 4,
          `${atOnce.length} calls may begin at once after idle time, and the burst is 4`,
        );
        for (const [index, { answer }] of taken.entries())
          context.that(
            answer.atMs >= startMs + (index - 3) * everyMs - 0.1,
            `call ${index + 1} begins ${answer.atMs - startMs} ms after the first`,
          );
        await context.sleep((taken.at(-1) as Leased).answer.waitMs + 6 * everyMs);
      }
    },
  },
  {
    name: "a call that waits for one limit takes its turn in the pace of another a second from now at most",
    why: "calls that do not need the first limit would wait as long as those that do",
    async run(context) {
      const windowMs = context.ms(60_000);
      const limits = [
        { name: "requests", max: 10, windowMs, burst: 1 },
        { name: "tokens", max: 1_000, windowMs, burst: 1_000 },
      ];
      const budget = await newBudget(context, { limits });
      const first = await budget.take([1, 1_000]);
      const waiting = await budget.take([1, 500]);
      context.that(waiting.answer.waitMs > windowMs / 2, `a call waits for ${waiting.answer.waitMs} ms for tokens`);
      const { atMs } = (await budget.take([1, 0])).answer;
      const dueMs = first.answer.atMs + 2 * (windowMs / 10);
      context.that(Math.abs(atMs - dueMs) < 0.01, `a call without tokens is due at ${dueMs}, and is at ${atMs}`);
    },
  },
  {
    name: "a tier stops where it leaves the rest to the tiers before it",
    async run(context) {
      const budget = await newBudget(context, { keeps: [0, 0.25, 0.5] });
      await budget.take([1, 500], { tier: 2 });
      const low = await budget.refused([1, 1], { tier: 2, maxWaitMs: 0 }, "its tier may fill a half");
      context.equal(low.answer.limitedBy, 1, "what limits a tier that has spent its part");
      await budget.take([1, 250], { tier: 1, maxWaitMs: 0 });
      await budget.refused([1, 1], { tier: 1, maxWaitMs: 0 }, "its tier may fill three quarters");
      await budget.take([1, 250], { maxWaitMs: 0 });
      await budget.refused([1, 1], { maxWaitMs: 0 }, "all is spent");
      await budget.rests([7, 0], "after each tier has spent its part");
    },
  },
  {
    name: "what a tier has reserved ahead does not hold up a call that has room before it",
    why: "urgent calls would wait for as long as all the batches that wait",
    async run(context) {
      const windowMs = context.ms(60_000);
      const limits = [{ name: "tokens", max: 1_000, windowMs, burst: 100 }];
      const budget = await newBudget(context, { limits, keeps: [0, 0.2], maxWaitMs: 10 * windowMs });
      for (let i = 0; i < 20; i++) await budget.take([100], { tier: 1 });
      const urgent = await budget.take([100], { maxWaitMs: 0 });
      context.equal(urgent.answer.waitMs, 0, "the wait of a call of the first tier, with twenty of the second ahead");
    },
  },
  {
    name: "a tier's turns delay those of the tiers after it, and not of those before it",
    async run(context) {
      const windowMs = context.ms(60_000);
      const limits = [{ name: "tokens", max: 1_000, windowMs, burst: 100 }];
      const budget = await newBudget(context, { limits, keeps: [0, 0.2] });
      for (let i = 0; i < 5; i++) await budget.take([100], { tier: 1 });
      const urgent = await budget.take([100]);
      context.equal(urgent.answer.waitMs, 0, "the wait of a call of the first tier after five of the second");
      const batch = await budget.take([100], { tier: 1 });
      const early = urgent.answer.atMs + 500 * (windowMs / 1_000);
      context.that(batch.answer.atMs > early, "a call of the second tier is not behind the one of the first");
    },
  },
]);

/** Random calls, one after the other; `pace` is how often it rests a little. */
async function spendAtRandom(
  context: CaseContext,
  budget: Budget,
  goesOn: (step: number) => boolean,
  pace = 0,
): Promise<void> {
  const { random } = context;
  const open: Leased[] = [];
  for (let step = 0; goesOn(step); step++) {
    const tier = Math.floor(random() * 3);
    const costs = [random() < 0.2 ? 0 : 1, Math.floor(random() * 160)];
    const maxWaitMs = random() < 0.2 ? 0 : budget.defaults.maxWaitMs;
    const settled = random() < 0.5 ? open.splice(Math.floor(random() * open.length), 1) : [];
    const settle = settled.map(({ id, request }) => ({
      id,
      costs: (request.reserve?.costs ?? []).map((cost) => Math.floor(cost * random() * 1.1)),
      measured: random() < 0.5,
    }));
    const dice = random();
    const stated = dice < 0.05 ? [{ limit: 1, rest: Math.floor(random() * 1_000), resetMs: context.ms(50) }] : [];
    const pauseMs = dice > 0.97 ? context.ms(20) : 0;
    const leased = await budget.ask(costs, { tier, maxWaitMs, settle, stated, pauseMs });
    if (leased.answer.granted) open.push(leased);
    if (random() < pace) await context.sleep(random() * context.ms(10));
  }
}
