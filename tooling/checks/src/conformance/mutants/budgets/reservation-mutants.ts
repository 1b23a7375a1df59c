import { budgetMutant, type Mutant } from "../flaw.ts";
import { patchBudget, patchLimits } from "./budget-rows.ts";

/** B3: all of a cost at one instant, or nothing. */
export const reservationMutants: readonly Mutant[] = [
  budgetMutant("a cost is checked, and charged only when it is settled", "B3", {
    spend: ({ table, request }, proceed) => {
      const before = table.clone();
      const answer = proceed();
      const { reserve } = request;
      if (!reserve || !answer.granted || request.settle?.length || !before.budget) return answer;
      const free = new Map(before.budget.limits.map((limit) => [limit.name, limit]));
      patchLimits(table, ({ name }) => structuredClone(free.get(name)) ?? { slots: [], units: [] });
      return answer;
    },
  }),
  budgetMutant("limits that have room keep their part of a cost that another one refuses", "B3", {
    spend: ({ request }, proceed) => {
      const answer = proceed();
      const { limits, keeps, reserve } = request;
      if (!reserve || answer.granted) return answer;
      const costs = reserve.costs.map((cost, place) => (place === answer.limitedBy ? 0 : cost));
      proceed({ limits, keeps, reserve: { ...reserve, id: `${reserve.id}-part`, costs, force: true } });
      return answer;
    },
  }),
  budgetMutant("what a refused request settles is lost", "B3", {
    spend: ({ table, request }, proceed) => {
      const before = table.clone();
      const answer = proceed();
      if (answer.granted || !request.reserve || !request.settle) return answer;
      table.become(before);
      return proceed({ ...request, settle: [] });
    },
  }),
  budgetMutant("a request reserves before it settles", "B3", {
    spend: ({ request }, proceed) => {
      const { reserve, settle = [], ...rest } = request;
      if (!reserve || settle.length === 0) return proceed();
      const answer = proceed({ ...rest, reserve });
      proceed({ limits: rest.limits, keeps: rest.keeps, settle });
      return answer;
    },
  }),
  budgetMutant("the instant of a cost is that of its first limit", "B3", {
    spend: ({ request: { reserve, ...request } }, proceed) => {
      if (!reserve) return proceed();
      const [first = 0] = reserve.costs;
      const alone = { ...reserve, costs: reserve.costs.map((_, place) => (place === 0 ? first : 0)) };
      const answer = proceed({ ...request, reserve: alone });
      const others = { ...reserve, id: `${reserve.id}-rest`, costs: reserve.costs.with(0, 0), force: true };
      if (answer.granted) proceed({ limits: request.limits, keeps: request.keeps, reserve: others });
      return answer;
    },
  }),
  budgetMutant("what limits a cost is always the first limit", "B3", {
    spend: (_, proceed) => {
      const answer = proceed();
      return answer.limitedBy === undefined ? answer : { ...answer, limitedBy: 0 };
    },
  }),
  budgetMutant("the wait of a refusal is half of what it is", "B3", {
    spend: (_, proceed) => {
      const answer = proceed();
      return answer.granted ? answer : { ...answer, waitMs: answer.waitMs / 2 };
    },
  }),
  budgetMutant("a call waits until all that was reserved before it has begun", "B3", {
    spend: ({ table, request, nowMs }, proceed) => {
      const { pausedUntilMs = 0, limits = [] } = table.budget ?? {};
      const latestMs = Math.max(...limits.map((limit) => limit.latestMs));
      if (!request.reserve || latestMs <= nowMs || pausedUntilMs > nowMs) return proceed();
      patchBudget(table, () => ({ pausedUntilMs: latestMs }));
      const answer = proceed();
      patchBudget(table, () => ({ pausedUntilMs }));
      return { ...answer, pausedForMs: 0 };
    },
  }),
  budgetMutant("a reservation by force waits like any other", "B3", {
    spend: ({ request: { reserve, ...request } }, proceed) =>
      proceed({ ...request, ...(reserve && { reserve: { ...reserve, force: false, maxWaitMs: 1e12 } }) }),
  }),
  budgetMutant("limits are told by their places in a request", "B3", {
    spend: ({ request }, proceed) =>
      proceed({ ...request, limits: request.limits.map((limit, place) => ({ ...limit, name: `${place}` })) }),
  }),
  budgetMutant("maxWaitMs is ignored", "B3", {
    spend: ({ request: { reserve, ...request } }, proceed) =>
      proceed({ ...request, ...(reserve && { reserve: { ...reserve, maxWaitMs: 1e12 } }) }),
  }),
];
