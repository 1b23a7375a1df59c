import type { PermitRow } from "@dt/core/ledger";
import { type Mutant, permitMutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";
import { wallClockErrorMs } from "../wall-clock-error.ts";

/** P2, P3, P4: whose clock, how far apart, how far ahead. */
export const spacingMutants: readonly Mutant[] = [
  permitMutant("permits are reserved on the clients' clocks, which are an hour apart", "P2", {
    clock: (nowMs, client) => nowMs + (client % 3) * 3_600_000,
  }),
  permitMutant("permits are reserved on the caller's wall clock (Date.now)", "P2", {
    clock: (nowMs) => nowMs + wallClockErrorMs(),
  }),
  permitMutant("a key's time follows the clock when it is set back", "P2", {
    table: class extends PlainPermitTable {
      override row(): PermitRow | undefined {
        const row = super.row();
        return row && { ...row, lastMs: 0, offsetMs: 0 };
      }
    },
  }),
  permitMutant("a key's time stands still while the clock, set back, catches up", "P2", {
    table: class extends PlainPermitTable {
      override row(): PermitRow | undefined {
        const row = super.row();
        return row && { ...row, offsetMs: 0 };
      }
    },
  }),
  permitMutant("a permit's time is answered in seconds", "P2", {
    reserve: (_, proceed) => {
      const answer = proceed();
      return { ...answer, storeTimeMs: Math.floor(answer.storeTimeMs / 1_000) };
    },
  }),
  permitMutant("the burst is one larger than asked for", "P3", {
    reserve: ({ request }, proceed) => proceed({ ...request, burst: request.burst + 1 }),
  }),
  permitMutant("the burst is ignored", "P3", { reserve: ({ request }, proceed) => proceed({ ...request, burst: 1 }) }),
  permitMutant("a burst comes back whole an interval after it was used", "P3", {
    reserve: ({ table, request, nowMs }, proceed) => {
      const row = table.row();
      if (row && request.burst > 1 && row.tatMs > nowMs && row.tatMs <= nowMs + (request.burst - 1) * request.everyMs)
        table.putRow({ ...row, tatMs: nowMs });
      return proceed();
    },
  }),
  permitMutant("intervals are rounded down to whole milliseconds", "P3", {
    reserve: ({ request }, proceed) =>
      proceed({ ...request, everyMs: request.everyMs > 1 ? Math.floor(request.everyMs) : request.everyMs }),
  }),
  permitMutant("time in which nobody asked is saved up", "P3", {
    reserve: ({ table, request, nowMs }, proceed) => {
      const row = table.row();
      // The theoretical arrival time is not brought up to now: what was idle is caught up on.
      if (!row || row.tatMs >= nowMs) return proceed();
      const answer = proceed();
      const after = table.row() as PermitRow;
      table.putRow({ ...after, tatMs: row.tatMs + answer.granted * request.cost * request.everyMs });
      return answer;
    },
  }),
  permitMutant("the cost is ignored", "P3", { reserve: ({ request }, proceed) => proceed({ ...request, cost: 1 }) }),
  permitMutant("a cost below one counts as one", "P3", {
    reserve: ({ request }, proceed) => proceed({ ...request, cost: Math.max(1, request.cost) }),
  }),
  permitMutant("the permits of a block are all due at once", "P3", {
    reserve: (_, proceed) => ({ ...proceed(), stepMs: 0 }),
  }),
  permitMutant("a block counts as one permit", "P3", {
    reserve: ({ table, request }, proceed) => {
      const answer = proceed();
      const row = table.row();
      const extra = Math.max(0, answer.granted - 1) * request.cost * request.everyMs;
      if (row) table.putRow({ ...row, tatMs: row.tatMs - extra });
      return answer;
    },
  }),
  permitMutant("the first permit of a key waits an interval", "P3", {
    reserve: ({ table, request, nowMs }, proceed) => {
      if (!table.row()) table.putRow({ tatMs: nowMs + request.everyMs, lastMs: nowMs, offsetMs: 0 });
      return proceed();
    },
  }),
  permitMutant("the bound is ignored", "P4", {
    reserve: ({ request }, proceed) => proceed({ ...request, maxReserved: 1_000_000 }),
  }),
  permitMutant("one more than the bound is reserved ahead", "P4", {
    reserve: ({ request }, proceed) => proceed({ ...request, maxReserved: request.maxReserved + 1 }),
  }),
  permitMutant("a block is given whole once its first permit is within the bound", "P4", {
    reserve: ({ table, request }, proceed) => {
      const one = table.clone();
      const answer = proceed({ ...request, count: 1 });
      if (answer.granted === 0 || request.count === 1) return answer;
      table.become(one);
      return proceed({ ...request, maxReserved: 1_000_000 });
    },
  }),
  permitMutant("more permits are given than were asked for", "P4", {
    reserve: ({ request }, proceed) => proceed({ ...request, count: request.count + 1 }),
  }),
  permitMutant("a refused request is told to try again at once", "P4", {
    reserve: (_, proceed) => ({ ...proceed(), retryAfterMs: 0 }),
  }),
  permitMutant("a refused request is told to try again a tenth too early", "P4", {
    reserve: (_, proceed) => {
      const answer = proceed();
      return { ...answer, retryAfterMs: answer.retryAfterMs * 0.9 };
    },
  }),
  permitMutant("a refused request is told to try again an interval later, whenever a permit is free", "P4", {
    reserve: ({ request }, proceed) => {
      const answer = proceed();
      return { ...answer, retryAfterMs: answer.granted > 0 ? 0 : request.everyMs };
    },
  }),
  permitMutant("a refused request takes the next instant all the same", "P4", {
    reserve: ({ table, request }, proceed) => {
      const answer = proceed();
      const row = table.row();
      if (row && answer.granted === 0) table.putRow({ ...row, tatMs: row.tatMs + request.everyMs });
      return answer;
    },
  }),
  permitMutant("reservedAhead counts the permits that are due as well", "P4", {
    reserve: (_, proceed) => {
      const answer = proceed();
      return { ...answer, reservedAhead: answer.reservedAhead + 1 };
    },
  }),
];
