import { budgetClient, budgetClients, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { insist } from "../../permits/insist.ts";

/** B6: what a settlement gives back and charges. */
export const settlement: readonly CaseDefinition[] = casesOf({ rule: "B6", needs: ["budgets"] }, [
  {
    name: "a settlement gives back what a call did not spend, in each limit, at once",
    why: "ten calls that state the longest answer would use up what a hundred can",
    async run(context) {
      const budget = await newBudget(context);
      const [one, two] = [await budget.take([1, 800]), await budget.take([1, 200])];
      context.equal(
        `${(await budget.settle(one, [1, 300], false)).rests}`,
        "8,500",
        "units left after one call is settled",
      );
      context.equal(
        `${(await budget.settle(two, [0, 0], false)).rests}`,
        "9,700",
        "units left after a call was not made",
      );
      const { answer } = await budget.take([1, 700]);
      context.equal(answer.waitMs, 0, "the wait of a call that takes what was given back");
    },
  },
  {
    name: "a lease is settled once, however often that arrives, by whichever client",
    async run(context) {
      const budget = await newBudget(context);
      const [one] = [await budget.take([1, 800]), await budget.take([1, 100])];
      for (const costs of [
        [1, 300],
        [1, 300],
        [0, 0],
        [1, 900],
      ])
        await budget.settle(one, costs, true, await budgetClient(context));
      await budget.rests([8, 600], "after one lease was settled four times");
      const other = await budget.take([1, 100]);
      const twice = [0, 50].map((tokens) => ({ id: other.id, costs: [1, tokens], measured: false }));
      await budget.send(budget.request({ settle: twice }));
      await budget.rests([7, 600], "after one request settled a lease twice");
    },
  },
  {
    name: "a settlement that arrives many times at the same time counts once",
    async run(context) {
      const budget = await newBudget(context);
      const stores = await budgetClients(context, 3);
      const [over, under] = [await budget.take([1, 200]), await budget.take([1, 500])];
      const settle = [
        { id: over.id, costs: [1, 300], measured: false },
        { id: under.id, costs: [1, 100], measured: false },
      ];
      const request = budget.request({ settle });
      const name = budget.name;
      const sent = Array.from({ length: 9 }, (_, i) =>
        insist(context, () => (stores[i % 3] as (typeof stores)[0]).spend(name, request)),
      );
      await Promise.all(sent);
      const { rests } = await (stores[0] as (typeof stores)[0]).spend(name, budget.request());
      context.equal(`${rests}`, "8,600", "units left after two leases were settled nine times at the same time");
    },
  },
  {
    name: "a settlement of a lease that is not known succeeds and changes nothing",
    async run(context) {
      const budget = await newBudget(context);
      await budget.settle({ id: "before there is a budget" }, [1, 500]);
      await budget.take([1, 800]);
      await budget.settle({ id: "nobody's" }, [0, 0]);
      await budget.settle({ id: "nobody's" }, [9, 5_000]);
      await budget.rests([9, 200], "after settlements of what was never reserved");
    },
  },
  {
    name: "what a call spent beyond its lease is debt, which later calls wait for, and which a floor bounds",
    why: "a debt that is dropped is spent twice",
    async run(context) {
      const budget = await newBudget(context);
      const one = await budget.take([1, 800]);
      await budget.settle(one, [3, 1_500]);
      await budget.rests([7, -500], "after a call spent 700 tokens more than reserved");
      const { answer } = await budget.refused([1, 1], { maxWaitMs: 0 }, "there is a debt");
      context.equal(answer.limitedBy, 1, "what a call waits for while there is a debt");
      const two = await budget.take([1, 100], { force: true });
      await budget.settle(two, [1, 300]);
      await budget.rests([6, -800], "after another call spent 200 more");
      const three = await budget.take([1, 0]);
      await budget.settle(three, [1, 1e9]);
      await budget.rests([5, -1_000], "after a call spent a thousand million");
      const next = await budget.take([1, 1]);
      const laterMs = next.answer.atMs - one.answer.atMs;
      context.that(laterMs >= context.ms(60_000), `a call after that begins ${laterMs} ms after the first`);
    },
  },
  {
    name: "a settlement minutes later, when the charge has left the window, gives nothing back, and charges more now",
    async run(context) {
      const windowMs = context.ms(480);
      const limits = [{ name: "tokens", max: 100, windowMs, burst: 100 }];
      const budget = await newBudget(context, { limits, keepMs: context.ms(60_000) });
      const [less, more] = [await budget.take([40]), await budget.take([40])];
      await context.until(
        async () => ((await budget.look()).rests[0] === 100 ? true : undefined),
        "charges never leave the window",
      );
      const fresh = await budget.take([50]);
      const given = await budget.settle(less, [0]);
      const isFresh = given.storeTimeMs - fresh.answer.atMs < windowMs;
      context.that(given.rests[0] === 50 || !isFresh, `${given.rests[0]} tokens are left, and 50 were spent just now`);
      const owed = await budget.settle(more, [70]);
      context.that(owed.rests[0] === 20 || !isFresh, `${owed.rests[0]} tokens are left after 30 more were charged`);
    },
  },
  {
    name: "a lease that is not settled stays spent, and its settlement counts no more once it is forgotten",
    why: "credit for a call that was lost would be spent again",
    async run(context) {
      const budget = await newBudget(context);
      const lost = await budget.take([1, 800], { keepMs: context.ms(100) });
      await context.until(async () => {
        const { storeTimeMs, rests } = await budget.look();
        context.equal(rests[1], 200, "tokens left while a call is not settled");
        return storeTimeMs > lost.answer.atMs + context.ms(100) ? true : undefined;
      }, "the store's time does not pass");
      await budget.settle(lost, [0, 0]);
      await budget.rests([9, 200], "after a lease that is forgotten was settled");
    },
  },
  {
    name: "a lease whose instant is to come is settled like any other",
    async run(context) {
      const budget = await newBudget(context);
      await budget.take([1, 1_000]);
      const ahead = await budget.take([1, 600]);
      await budget.settle(ahead, [0, 0]);
      await budget.rests([9, 0], "after a lease whose instant is to come was given up");
      const next = await budget.take([1, 600]);
      context.that(
        next.answer.atMs <= ahead.answer.atMs,
        "a call begins later than the one that was given up would have",
      );
    },
  },
  {
    name: "limits that a settlement does not name keep what was reserved",
    async run(context) {
      const budget = await newBudget(context);
      const tokens = budget.defaults.limits.slice(1);
      const one = await budget.take([4, 600]);
      await budget.send({ limits: tokens, keeps: [0], settle: [{ id: one.id, costs: [100], measured: true }] });
      await budget.settle(one, [0, 0]);
      await budget.rests([6, 900], "after a settlement of tokens alone");
    },
  },
  {
    name: "a thousand settlements in one request are served",
    async run(context) {
      const budget = await newBudget(context);
      const leased = [await budget.take([1, 100]), await budget.take([1, 100]), await budget.take([1, 100])];
      const settle = Array.from({ length: 1_000 }, (_, i) => ({
        id: i % 400 === 0 ? (leased[i / 400] as (typeof leased)[0]).id : `other-${i}`,
        costs: [1, 10],
        measured: false,
      }));
      await budget.send(budget.request({ settle }));
      await budget.rests([7, 970], "after a request with a thousand settlements");
    },
  },
]);
