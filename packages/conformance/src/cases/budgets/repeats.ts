import { budgetClient, budgetClients, budgetStore, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { insist } from "../../permits/insist.ts";

/** B8: what arrives twice. */
export const repeats: readonly CaseDefinition[] = casesOf({ rule: "B8", needs: ["budgets"] }, [
  {
    name: "the same id again is answered the same lease, by any client, also when others reserved meanwhile",
    why: "a caller whose answer was lost asks again, and must not pay twice",
    async run(context) {
      const budget = await newBudget(context);
      const [one, two] = [await budget.take([1, 900]), await budget.take([1, 400])];
      await budget.take([1, 100]);
      for (const first of [one, two])
        for (const store of [await budgetClient(context), await budgetStore(context)]) {
          const again = await budget.send(first.request, store);
          context.equal(again.granted, true, "granted when the same id asks again");
          context.equal(again.atMs, first.answer.atMs, "the instant of the repeat");
          context.equal(again.waitMs, first.answer.waitMs, "waitMs of the repeat");
          context.equal(again.limitedBy, first.answer.limitedBy, "limitedBy of the repeat");
        }
      await budget.rests([7, -400], "after four repeats");
    },
  },
  {
    name: "one request that arrives many times at the same time is one lease",
    async run(context) {
      const budget = await newBudget(context);
      const stores = await budgetClients(context, 3);
      const request = budget.reservation([1, 300]);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          insist(context, () => (stores[i % 3] as (typeof stores)[0]).spend(budget.name, request)),
        ),
      );
      const instants = new Set(answers.map(({ granted, atMs }) => `${granted} ${atMs}`));
      context.equal(instants.size, 1, "different answers to one reservation that arrived twelve times at once");
      const { rests } = await (stores[0] as (typeof stores)[0]).spend(budget.name, budget.request());
      context.equal(`${rests}`, "9,700", "units left after one reservation that arrived twelve times at once");
    },
  },
  {
    name: "a repeat with other costs is answered the lease as it is",
    async run(context) {
      const budget = await newBudget(context);
      const first = await budget.take([1, 300]);
      const again = await budget.take([5, 600], { id: first.id, tier: 0 });
      context.equal(again.answer.atMs, first.answer.atMs, "the instant of the repeat");
      await budget.rests([9, 700], "after a repeat with other costs");
    },
  },
  {
    name: "an id that was refused may ask again",
    async run(context) {
      const budget = await newBudget(context);
      const one = await budget.take([1, 1_000]);
      const { id } = await budget.refused([1, 500], { maxWaitMs: 0 }, "no tokens are left");
      await budget.settle(one, [1, 100]);
      const again = await budget.take([1, 500], { id });
      context.equal(again.answer.waitMs, 0, "the wait of an id that was refused before");
    },
  },
  {
    name: "an id whose lease was settled is a new one",
    async run(context) {
      const budget = await newBudget(context);
      const first = await budget.take([1, 600], { id: "again" });
      await budget.settle(first, [1, 100]);
      await budget.take([1, 300], { id: "again" });
      await budget.rests([8, 600], "after an id was used for two leases");
    },
  },
  {
    name: "a lease is known until keepMs after its instant, and not after that",
    why: "a ledger that forgets nothing grows for ever",
    async run(context) {
      const windowMs = context.ms(480);
      const limits = [{ name: "tokens", max: 100, windowMs, burst: 100 }];
      const budget = await newBudget(context, { limits, keepMs: context.ms(100), maxWaitMs: 5 * windowMs });
      await budget.take([100]);
      const ahead = await budget.take([50], { id: "again" });
      const untilMs = ahead.answer.atMs + context.ms(100);
      await context.until(async () => {
        const { answer } = await budget.take([50], { id: "again" });
        const isSame = answer.atMs === ahead.answer.atMs;
        context.that(
          isSame === answer.storeTimeMs < untilMs,
          `a lease is ${isSame ? "known" : "forgotten"} ${answer.storeTimeMs - ahead.answer.atMs} ms after its instant`,
        );
        return isSame ? undefined : true;
      }, "an id is still answered its old lease long after keepMs");
    },
  },
]);
