import { budgetMutant, type Mutant } from "../flaw.ts";
import { patchBudget, patchLimits, spentOf } from "./budget-rows.ts";

/** Slots of a window. */
const SLOTS = 240;

/** B4: what a window holds, and the pace. */
export const windowMutants: readonly Mutant[] = [
  budgetMutant("a limit has no pace", "B4", {
    spend: ({ request }, proceed) =>
      proceed({ ...request, limits: request.limits.map((limit) => ({ ...limit, burst: limit.max })) }),
  }),
  budgetMutant("the latest instant that is reserved of a limit is ignored", "B4", {
    spend: ({ table }, proceed) => {
      patchLimits(table, () => ({ latestMs: 0 }));
      return proceed();
    },
  }),
  budgetMutant("a call comes after all that is reserved ahead, unless it fits beside that", "B4", {
    spend: ({ table, request, nowMs }, proceed) => {
      const { pausedUntilMs = 0, limits = [] } = table.budget ?? {};
      const { reserve } = request;
      const costOf = (name: string): number =>
        reserve?.costs[request.limits.findIndex((limit) => limit.name === name)] ?? 0;
      const behind = limits.filter(
        (limit) => costOf(limit.name) > 0 && spentOf(limit) + costOf(limit.name) > limit.max,
      );
      const latestMs = Math.max(...behind.map((limit) => limit.latestMs));
      if (latestMs <= nowMs || pausedUntilMs > nowMs) return proceed();
      patchBudget(table, () => ({ pausedUntilMs: latestMs }));
      const answer = proceed();
      patchBudget(table, () => ({ pausedUntilMs }));
      return { ...answer, pausedForMs: 0 };
    },
  }),
  budgetMutant("a call comes at its turn if the window before it has room, whatever is reserved ahead", "B4", {
    spend: ({ table, request, nowMs }, proceed) => {
      const ahead = new Map<string, readonly [number[], number[]]>();
      if (request.reserve)
        patchLimits(table, ({ name, slots, units, windowMs }) => {
          const later = slots.findIndex((slot) => slot > Math.floor((nowMs * SLOTS) / windowMs) + 1);
          if (later < 0) return {};
          ahead.set(name, [slots.slice(later), units.slice(later)]);
          return { slots: slots.slice(0, later), units: units.slice(0, later), latestMs: nowMs };
        });
      const answer = proceed();
      patchLimits(table, ({ name, slots, units }) => {
        const [laterSlots = [], laterUnits = []] = ahead.get(name) ?? [];
        return { slots: [...slots, ...laterSlots], units: [...units, ...laterUnits] };
      });
      return answer;
    },
  }),
  budgetMutant("each tier may spend all of a limit", "B4", {
    spend: ({ request }, proceed) => proceed({ ...request, keeps: request.keeps.map(() => 0) }),
  }),
  budgetMutant("a tier's turns delay those before it", "B4", {
    spend: (operation, proceed) => {
      const answer = proceed();
      patchLimits(operation.table, ({ paceMs }) => ({ paceMs: paceMs.map(() => Math.max(...paceMs)) }));
      return answer;
    },
  }),
  budgetMutant("windows do not slide: each begins when the one before it has ended", "B4", {
    spend: ({ table, nowMs }, proceed) => {
      patchLimits(table, ({ slots, units, windowMs }) => {
        const first = Math.floor(nowMs / windowMs) * SLOTS;
        const left = slots.findIndex((slot) => slot >= first);
        return left < 0 ? { slots: [], units: [] } : { slots: slots.slice(left), units: units.slice(left) };
      });
      return proceed();
    },
  }),
  budgetMutant("a charge leaves its window a tenth too early", "B4", {
    spend: ({ table, nowMs }, proceed) => {
      patchLimits(table, ({ slots, units, windowMs }) => {
        const left = slots.findIndex((slot) => ((slot + SLOTS * 0.9) * windowMs) / SLOTS > nowMs);
        return left < 0 ? { slots: [], units: [] } : { slots: slots.slice(left), units: units.slice(left) };
      });
      return proceed();
    },
  }),
  budgetMutant("a charge stays in its window for a tenth too long", "B4", {
    spend: ({ table }, proceed) => {
      const answer = proceed();
      patchLimits(table, ({ slots }) => ({
        slots: slots.map((slot) => (slot % 2 === 0 ? slot + SLOTS / 10 + 1 : slot)),
      }));
      return answer;
    },
  }),
  budgetMutant("a limit that is declared anew is unused", "B4", {
    spend: ({ table, request }, proceed) => {
      patchLimits(table, ({ name, max, windowMs }) => {
        const declared = request.limits.find((limit) => limit.name === name);
        const isSame = !declared || (declared.max === max && declared.windowMs === windowMs);
        return isSame ? {} : { slots: [], units: [] };
      });
      return proceed();
    },
  }),
  budgetMutant("slots keep their numbers when the window becomes another", "B4", {
    spend: ({ table, request }, proceed) => {
      patchLimits(table, ({ name, windowMs }) => ({
        windowMs: request.limits.find((limit) => limit.name === name)?.windowMs ?? windowMs,
      }));
      return proceed();
    },
  }),
  budgetMutant("a limit that a request does not name is forgotten", "B4", {
    spend: ({ table, request }, proceed) => {
      patchLimits(table, ({ name }) =>
        request.limits.some((limit) => limit.name === name) ? {} : { slots: [], units: [] },
      );
      return proceed();
    },
  }),
  budgetMutant("a call that waits for one limit takes its turn in another only when it begins", "B4", {
    spend: ({ table, request }, proceed) => {
      const answer = proceed();
      const { limits, reserve } = request;
      if (!reserve || !answer.granted || answer.waitMs === 0 || reserve.force) return answer;
      patchLimits(table, ({ name, paceMs, windowMs, max }) => {
        const cost = reserve.costs[limits.findIndex((limit) => limit.name === name)] ?? 0;
        const endMs = answer.atMs + (cost * windowMs) / max;
        return cost > 0 ? { paceMs: paceMs.map((ms) => Math.max(ms, endMs)) } : {};
      });
      return answer;
    },
  }),
  budgetMutant("with each call a little of the pace is forgotten", "B4", {
    spend: ({ table, request }, proceed) => {
      patchLimits(table, ({ paceMs, windowMs }) => ({ paceMs: paceMs.map((ms) => ms - windowMs / 20) }));
      return proceed(request);
    },
  }),
];
