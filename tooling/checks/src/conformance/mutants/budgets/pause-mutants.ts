import { budgetMutant, type Mutant } from "../flaw.ts";
import { patchBudget, patchLimits, spentOf } from "./budget-rows.ts";

/** B5, B7: pauses, and what a callee states. */
export const pauseMutants: readonly Mutant[] = [
  budgetMutant("a shorter pause takes the place of a longer one", "B5", {
    spend: ({ table, request }, proceed) => {
      if (request.pauseMs) patchBudget(table, () => ({ pausedUntilMs: 0 }));
      return proceed();
    },
  }),
  budgetMutant("a pause is over with the next request", "B5", {
    spend: ({ table, request }, proceed) => {
      if (!request.pauseMs) patchBudget(table, () => ({ pausedUntilMs: 0 }));
      return proceed();
    },
  }),
  budgetMutant("a pause counts however long it is", "B5", {
    spend: ({ table, request: { pauseMs = 0 } }, proceed) => {
      const answer = proceed();
      const pausedForMs = Math.max(answer.pausedForMs, pauseMs);
      patchBudget(table, ({ lastMs }) => ({ pausedUntilMs: lastMs + pausedForMs }));
      return { ...answer, pausedForMs };
    },
  }),
  budgetMutant("a pause does not hold the reservation that it comes with", "B5", {
    spend: ({ request: { pauseMs = 0, ...request } }, proceed) => {
      const answer = proceed(request);
      const { pausedForMs } = proceed({ limits: request.limits, keeps: request.keeps, pauseMs });
      return { ...answer, pausedForMs };
    },
  }),
  budgetMutant("a pause moves leases that were made before it", "B5", {
    spend: ({ table, request }, proceed) => {
      const answer = proceed();
      const endMs = answer.storeTimeMs + answer.pausedForMs;
      if (request.pauseMs)
        for (const lease of [...table.leases.values()]) table.putLease({ ...lease, atMs: Math.max(lease.atMs, endMs) });
      return answer;
    },
  }),
  budgetMutant("what waits for a pause and for a limit is said to wait for the pause", "B5", {
    spend: (_, proceed) => {
      const answer = proceed();
      return answer.pausedForMs > 0 && answer.waitMs > 0 ? { ...answer, limitedBy: -1 } : answer;
    },
  }),
  budgetMutant("what a callee states is ignored", "B7", {
    spend: ({ request: { stated: _, ...request } }, proceed) => proceed(request),
  }),
  budgetMutant("what a callee states raises what is left", "B7", {
    spend: ({ table, request }, proceed) => {
      for (const { limit, rest } of request.stated ?? []) {
        const named = request.limits[limit]?.name;
        patchLimits(table, (row) =>
          row.name === named && row.max - spentOf(row) < rest ? { slots: [], units: [] } : {},
        );
      }
      return proceed();
    },
  }),
  budgetMutant("what a callee states counts for a whole window", "B7", {
    spend: ({ request }, proceed) =>
      proceed({ ...request, stated: (request.stated ?? []).map((one) => ({ ...one, resetMs: 1e12 })) }),
  }),
  budgetMutant("what a callee states counts for as long as it says", "B7", {
    spend: ({ table, request }, proceed) => {
      const answer = proceed();
      for (const { limit, resetMs } of request.stated ?? [])
        patchLimits(table, (row) => {
          const beyond = Math.floor(((resetMs - row.windowMs) / row.windowMs) * 240);
          const isIt = row.name === request.limits[limit]?.name && beyond > 0;
          return isIt ? { slots: row.slots.map((slot) => slot + beyond) } : {};
        });
      return answer;
    },
  }),
];
