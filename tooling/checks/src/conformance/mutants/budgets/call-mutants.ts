import { DtError, isDtError } from "@dt/core";
import { altered, never } from "../altered.ts";
import { budgetMutant, type Mutant, mutant } from "../flaw.ts";

/** B1, B10: at the same time, apart, in time. */
export const callMutants: readonly Mutant[] = [
  budgetMutant("calls of a budget read, work it out and write back while others do the same", "B1", { torn: true }),
  budgetMutant(
    "a call of a budget that comes while others are under way says what was left before it, now and then",
    "B1",
    {
      spend: ({ table, request, nowMs }, proceed) => {
        const { lastMs = 0 } = table.budget ?? {};
        const before = proceed({ limits: request.limits, keeps: request.keeps });
        const answer = proceed();
        return nowMs - lastMs < 0.1 && answer.granted ? { ...answer, rests: before.rests } : answer;
      },
    },
  ),
  budgetMutant("all budgets are one", "B10", { key: () => "" }),
  budgetMutant("names of budgets are kept without the space around them", "B10", { key: (budget) => budget.trim() }),
  budgetMutant("names of limits are told apart by their first 100 letters, in any case", "B10", {
    spend: ({ request }, proceed) =>
      proceed({
        ...request,
        limits: request.limits.map((limit) => ({ ...limit, name: limit.name.slice(0, 100).toLowerCase() })),
      }),
  }),
  budgetMutant("ids of leases are told apart by their first 1,000 letters, in any case", "B10", {
    spend: ({ request }, proceed) => {
      const short = <T extends { readonly id: string }>(one: T): T => ({
        ...one,
        id: one.id.slice(0, 1_000).toLowerCase(),
      });
      const { reserve, settle = [] } = request;
      return proceed({ ...request, settle: settle.map(short), ...(reserve && { reserve: short(reserve) }) });
    },
  }),
  budgetMutant("requests of budgets are not checked", "B10", { unchecked: ({ method }) => method === "spend" }),
  mutant("a call of a budget never settles", "B10", { wrap: (store) => altered(store, { spend: never }) }),
  mutant("malformed requests of budgets are thrown instead of rejected", "B10", {
    wrap: (store) =>
      altered(store, {
        spend: (budget, request, signal) => {
          if (!budget) throw new DtError("DT_INVALID_OPTION", "no budget");
          return store.spend(budget, request, signal);
        },
      }),
  }),
  mutant("the signal of a call of a budget is ignored", "B10", {
    wrap: (store) => altered(store, { spend: (budget, request) => store.spend(budget, request) }),
  }),
  mutant("a call of a budget on a closed store fails as unavailable", "B10", {
    wrap: (store) =>
      altered(store, {
        spend: (...args) =>
          store.spend(...args).catch((error: unknown) => {
            if (!isDtError(error, "DT_STORE_CLOSED")) throw error;
            throw new DtError("DT_STORE_UNAVAILABLE", "closed", { effect: "unknown" });
          }),
      }),
  }),
  mutant("closing a store gives up the leases of budgets", "B10", {
    wrap: (store, server) =>
      altered(store, {
        close: () => {
          for (const table of server.budgets.values()) table.forget();
          return store.close();
        },
      }),
  }),
  mutant("budgets are lost with the server", "B10", {
    wrap: (store, server) => {
      const boot = { boots: server.boots };
      return altered(store, {
        spend: (...args) => {
          if (server.boots > boot.boots) server.budgets.clear();
          boot.boots = server.boots;
          return store.spend(...args);
        },
      });
    },
  }),
  mutant("a call of a budget that the server did not answer takes effect twice", "B10", {
    wrap: (store, server) =>
      altered(store, {
        spend: (budget, request, signal) =>
          store.spend(budget, request, signal).catch((error: unknown) => {
            const { reserve } = request;
            const table = server.budgets.get(budget);
            if (reserve && table?.budget && isDtError(error) && error.effect === "unknown")
              table.putRow({
                ...table.budget,
                limits: table.budget.limits.map((limit, place) => ({
                  ...limit,
                  units: limit.units.map((units, i) => (i === 0 ? units + (reserve.costs[place] ?? 0) : units)),
                })),
              });
            throw error;
          }),
      }),
  }),
];
