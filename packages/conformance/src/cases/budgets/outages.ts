import { budgetStore, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { answersAgain, CUT_OFF, during, KILLED, type Outage, PAUSED, settles, settlesGivenUp } from "../outage.ts";

/** B10 on a server that is stopped, cut off or killed. */
export const outages: readonly CaseDefinition[] = casesOf({ rule: "B10" }, [
  {
    name: "while the server is paused spend settles in time, and afterwards the budget goes on",
    needs: ["budgets", "pause", "resume"],
    run: (context) => outage(context, PAUSED),
  },
  {
    name: "while the server is cut off spend settles in time, and afterwards the budget goes on",
    needs: ["budgets", "partition", "heal"],
    run: (context) => outage(context, CUT_OFF),
  },
  {
    name: "a killed server fails spend in time, and when it is back with its data so are the leases and debts",
    needs: ["budgets", "kill", "restart"],
    run: (context) => outage(context, KILLED),
  },
]);

async function outage(context: CaseContext, way: Outage): Promise<void> {
  const { state } = way;
  const store = await budgetStore(context);
  const budget = await newBudget(context);
  const [first, owing] = [await budget.take([1, 300]), await budget.take([1, 300])];
  await budget.settle(owing, [1, 350]);
  const lost = budget.reservation([1, 100], { settle: [{ id: first.id, costs: [1, 200], measured: false }] });
  const effect = await during(context, way, async () => {
    const call = store.spend(budget.name, lost);
    const failure = await settles(context, `spend while the server is ${state}`, call);
    context.that(
      failure !== undefined,
      `spend succeeded while the server is ${state}: the target's fault has no effect`,
    );
    await settlesGivenUp(context, "a call of a budget", (signal) =>
      store.spend(`${budget.name}-other`, budget.reservation([1, 1]), signal),
    );
    return failure?.effect;
  });
  await answersAgain(context, () => store.spend(`${budget.name}-probe`, budget.request()));
  const { rests } = await store.spend(budget.name, budget.request());
  context.that(
    `${rests}` === "8,350" || (`${rests}` === "7,350" && effect === "unknown"),
    `${rests} units are left after a call that failed with effect "${effect}": either 8,350 or 7,350 are`,
  );
  // Once more by its id: it is one lease, and its settlement counts once.
  await store.spend(budget.name, lost);
  const again = await store.spend(budget.name, lost);
  context.equal(again.granted, true, "granted to the repeat of the call whose answer was lost", "B8");
  context.equal(`${again.rests}`, "7,350", "units left after it was repeated twice", "B8");
}
