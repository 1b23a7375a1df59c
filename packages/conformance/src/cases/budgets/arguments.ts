import type { SpendRequest, SpendReservation } from "@dt/core";
import type { Budget } from "../../budgets/budget.ts";
import { budgetStore, newBudget } from "../../budgets/budget-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { NOT_NAMES } from "../not-names.ts";

const NOT_NUMBERS = [Number.NaN, "10", null, undefined];
const NOT_AMOUNTS = [-1, Number.POSITIVE_INFINITY, 1e13, ...NOT_NUMBERS];
const NOT_LISTS = ["", 7, null, {}];

/** B10: what is refused before anything is written: a number that is none would spoil the budget for all its users. */
export const arguments_: readonly CaseDefinition[] = casesOf({ rule: "B10", needs: ["budgets"] }, [
  {
    name: "a malformed request of a budget is refused, and nothing of it counts",
    async run(context) {
      const budget = await newBudget(context);
      const store = await budgetStore(context);
      const { id } = await budget.take([1, 500]);
      for (const [field, wrong] of malformed(budget)) {
        // A part that is right, and would show.
        const settle = [{ id, costs: [0, 0], measured: true }];
        const request = { ...budget.reservation([1, 100], { settle, pauseMs: 1_000 }), ...wrong } as SpendRequest;
        const shown = JSON.stringify(wrong)?.slice(0, 100);
        await context.refused(store.spend(budget.name, request), ["DT_INVALID_OPTION"], `${field} of ${shown}`);
      }
      await budget.rests([9, 500], "after all that was malformed");
    },
  },
  {
    name: "a cost that its tier may never spend is refused at once",
    why: "it would wait for ever",
    async run(context) {
      const budget = await newBudget(context, { keeps: [0, 0.25] });
      const store = await budgetStore(context);
      for (const [costs, tier] of [
        [[11, 0], 0],
        [[1, 1_001], 0],
        [[1, 751], 1],
        [[8, 0], 1],
      ] as const) {
        const call = store.spend(budget.name, budget.reservation(costs, { tier }));
        await context.refused(call, ["DT_INVALID_OPTION"], `a cost of ${costs} in tier ${tier}`);
      }
      await budget.take([7, 750], { tier: 1 });
    },
  },
  {
    name: "a budget's name that is empty, too long or not well-formed is refused",
    async run(context) {
      const budget = await newBudget(context);
      const store = await budgetStore(context);
      for (const name of NOT_NAMES as string[]) {
        const what = `spend with the budget ${JSON.stringify(String(name).slice(0, 12))}`;
        await context.refused(store.spend(name, budget.request()), ["DT_INVALID_OPTION"], what);
      }
    },
  },
]);

function* malformed(budget: Budget): Generator<readonly [field: string, wrong: object]> {
  const { limits } = budget.defaults;
  const [requests, tokens] = limits as [(typeof limits)[0], (typeof limits)[0]];
  const limit = (field: string, value: unknown): object => ({ limits: [requests, { ...tokens, [field]: value }] });
  for (const value of [...NOT_NAMES, "x".repeat(129), "requests"]) yield ["a limit's name", limit("name", value)];
  for (const value of [0, ...NOT_AMOUNTS])
    for (const field of ["max", "windowMs", "burst"]) yield [field, limit(field, value)];
  yield ["burst", limit("burst", 1_001)];
  for (const value of [
    [],
    Array.from({ length: 17 }, (_, i) => ({ ...tokens, name: `${i}` })),
    ...NOT_LISTS,
    undefined,
  ])
    yield ["limits", { limits: value }];
  for (const value of [[], [0.1], [0, 1], [0, 0.5, 0.2], [0, -1], Array(9).fill(0), [Number.NaN], ["0"], ...NOT_LISTS])
    yield ["keeps", { keeps: value }];
  const settlement = { id: "any", costs: [0, 0], measured: true };
  for (const id of NOT_NAMES) yield ["a settlement's id", { settle: [{ ...settlement, id }] }];
  for (const costs of [[0], [0, 0, 0], [0, -1], [0, Number.NaN], [0, "1"], ...NOT_LISTS])
    yield ["a settlement's costs", { settle: [{ ...settlement, costs }] }];
  yield ["settle", { settle: Array(1_001).fill(settlement) }];
  const stated = { limit: 1, rest: 0, resetMs: 1 };
  for (const place of [-1, 2, 0.5, ...NOT_NUMBERS])
    yield ["the limit stated", { stated: [{ ...stated, limit: place }] }];
  for (const rest of NOT_AMOUNTS) yield ["the rest stated", { stated: [{ ...stated, rest }] }];
  for (const resetMs of NOT_AMOUNTS) yield ["the reset stated", { stated: [{ ...stated, resetMs }] }];
  for (const pauseMs of [-1, Number.NaN, Number.POSITIVE_INFINITY, "1", null]) yield ["pauseMs", { pauseMs }];
  for (const terms of NOT_NAMES.filter((name) => name !== undefined)) yield ["terms", { terms }];
  for (const formerTerms of NOT_NAMES.filter((name) => name !== undefined)) yield ["formerTerms", { formerTerms }];
  const { reserve } = budget.reservation([1, 100]);
  const asked = (field: keyof SpendReservation, value: unknown): object => ({
    reserve: { ...reserve, [field]: value },
  });
  for (const id of NOT_NAMES) yield ["a reservation's id", asked("id", id)];
  for (const tier of [-1, 1, 0.5, ...NOT_NUMBERS]) yield ["tier", asked("tier", tier)];
  for (const ms of NOT_AMOUNTS) for (const field of ["maxWaitMs", "keepMs"] as const) yield [field, asked(field, ms)];
  for (const costs of [[1], [1, 1, 1], [1, -1], [1, Number.NaN], [1, "1"], ...NOT_LISTS, undefined])
    yield ["a reservation's costs", asked("costs", costs)];
}
