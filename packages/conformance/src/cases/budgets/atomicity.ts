import { isDtError, type Settlement } from "@dt/core";
import type { Asked, Budget } from "../../budgets/budget.ts";
import type { BudgetStore } from "../../budgets/budget-store.ts";
import { budgetClients, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { searchSpends, spendOperations } from "../../linearizability/check-spend-history.ts";
import { insist } from "../../permits/insist.ts";

/** B1: many clients at once. */
export const atomicity: readonly CaseDefinition[] = casesOf({ rule: "B1", needs: ["budgets"] }, [
  {
    name: "what many clients reserve, repeat and settle at the same time is what they would have got one after the other",
    why: "this is the promise that everything else is for",
    async run(context) {
      const budget = await newBudget(context, { limits: limitsOf(context, 600, 40) });
      await contend(context, budget, { workers: 12, calls: 120 });
    },
  },
  {
    name: "the same with tiers, debts, pauses, force and what callees state",
    async run(context) {
      const budget = await newBudget(context, { limits: limitsOf(context, 900, 20), keeps: [0, 0.25] });
      await contend(context, budget, { workers: 8, calls: 100, everything: true });
    },
  },
  {
    name: "many clients that ask at the same time are given no more than is left together",
    why: "five calls at the same time that each check first spent 663 of 100 elsewhere",
    async run(context) {
      const windowMs = context.ms(60_000);
      const limits = [
        { name: "requests", max: 1_000, windowMs, burst: 1_000 },
        { name: "tokens", max: 100, windowMs, burst: 100 },
      ];
      const budget = await newBudget(context, { limits, maxWaitMs: 0 });
      const stores = await budgetClients(context, 4);
      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, i) => {
          const request = budget.reservation([1, 7]);
          return insist(context, () => (stores[i % stores.length] as BudgetStore).spend(budget.name, request));
        }),
      );
      context.equal(answers.filter(({ granted }) => granted).length, 14, "calls of 7 that 100 tokens are enough for");
      const { rests } = await (stores[0] as BudgetStore).spend(budget.name, budget.request());
      context.equal(`${rests}`, "986,2", "units left after 32 asked at the same time");
    },
  },
]);

/** A sound history of this length takes some hundred steps; one with unanswered calls may take many more. */
const MOST_STEPS = 20_000;

interface Contention {
  readonly workers: number;
  readonly calls: number;
  readonly everything?: boolean;
}

function limitsOf(context: CaseContext, tokens: number, requests: number): Budget["defaults"]["limits"] {
  const windowMs = context.ms(1_200);
  return [
    { name: "requests", max: requests, windowMs, burst: Math.ceil(requests / 3) },
    { name: "tokens", max: tokens, windowMs, burst: tokens / 2 },
  ];
}

/** Random calls from many clients at once; then the whole history must have a sequential explanation. */
async function contend(context: CaseContext, budget: Budget, contention: Contention): Promise<void> {
  const stores = await budgetClients(context, 4);
  // A store that is slow by nature needs less of it to be as busy.
  const part = (context.target.timeScale ?? 1) > 1 ? 0.5 : 1;
  let left = contention.calls * part;
  const worker = async (number: number): Promise<void> => {
    const store = stores[number % stores.length] as BudgetStore;
    while (left > 0) {
      left -= 1;
      await act(context, budget, store, contention.everything ?? false);
      if (context.random() < 0.3) await context.sleep(context.random() * context.ms(15));
    }
  };
  await Promise.all(Array.from({ length: contention.workers * part }, (_, number) => worker(number)));
  const operations = spendOperations(context.history, budget.name);
  const unanswered = operations.filter(({ endMs }) => endMs === undefined).length;
  context.that(
    unanswered <= operations.length / 2,
    `${unanswered} of ${operations.length} calls of many at a time on one budget were not answered in time`,
  );
  const search = searchSpends(operations, { maxSteps: MOST_STEPS });
  let step = search.next();
  for (; !step.done; step = search.next()) await context.sleep(0);
  const result = step.value;
  if (result.verdict === "not linearizable")
    context.fail(
      `no order of ${operations.length} calls at the same time explains what they were answered: ${result.explanation}`,
    );
  context.that(
    result.verdict === "linearizable" || unanswered > 0,
    `whether the answers have a sequential explanation is undecided after ${MOST_STEPS} steps`,
  );
}

/** One call and, sometimes, what comes of it: repeated, or settled, once or twice at once. */
async function act(context: CaseContext, budget: Budget, store: BudgetStore, everything: boolean): Promise<void> {
  const { random } = context;
  const costs = [random() < 0.2 ? 0 : 1, Math.floor(random() * 90)];
  const maxWaitMs = random() < 0.3 ? 0 : context.ms(800);
  const request = budget.reservation(costs, { maxWaitMs, ...(everything && extras(context)) });
  const answer = await unlessLate(store.spend(budget.name, request));
  if (!answer?.granted) return;
  const dice = random();
  if (dice < 0.15) await unlessLate(store.spend(budget.name, request));
  if (dice > 0.6) return;
  const factor = everything ? 1.5 : 1;
  const settlement: Settlement = {
    id: request.reserve.id,
    costs: costs.map((cost) => Math.floor(cost * random() * factor)),
    measured: random() < 0.5,
  };
  const settle = (): Promise<unknown> => {
    const next = random() < 0.5 ? budget.request() : budget.reservation([1, 20], { maxWaitMs: 0 });
    return unlessLate(store.spend(budget.name, { ...next, settle: [settlement] }));
  };
  await Promise.all([settle(), ...(dice < 0.3 ? [settle()] : [])]);
}

function extras({ random }: Pick<CaseContext, "random">): Asked {
  const dice = random();
  return {
    tier: random() < 0.4 ? 1 : 0,
    ...(dice < 0.06 && { force: true }),
    ...(dice > 0.9 && { pauseMs: 20 }),
    ...(dice > 0.6 && dice < 0.7 && { stated: [{ limit: 1, rest: Math.floor(random() * 500), resetMs: 300 }] }),
  };
}

/** Under contention a store that compares and swaps may be late: such a call took effect or not. */
async function unlessLate<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isDtError(error, "DT_STORE_TIMEOUT") || isDtError(error, "DT_STORE_UNAVAILABLE")) return undefined;
    throw error;
  }
}
