import type { PermitRow } from "@dt/core/ledger";
import type { Mutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";
import { wallClockErrorMs } from "../wall-clock-error.ts";

/** P2, P3, P4: whose clock, how far apart, how far ahead. */
export const spacingMutants: readonly Mutant[] = [
  {
    name: "permits are reserved on the clients' clocks, which are an hour apart",
    rule: "P2",
    flaw: { permits: { clock: (nowMs, client) => nowMs + (client % 3) * 3_600_000 } },
  },
  {
    name: "permits are reserved on the caller's wall clock (Date.now)",
    rule: "P2",
    flaw: { permits: { clock: (nowMs) => nowMs + wallClockErrorMs() } },
  },
  {
    name: "a key's time follows the clock when it is set back",
    rule: "P2",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override row(): PermitRow | undefined {
              const row = super.row();
              return row && { ...row, lastMs: 0, offsetMs: 0 };
            }
          })(),
      },
    },
  },
  {
    name: "a key's time stands still while the clock, set back, catches up",
    rule: "P2",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override row(): PermitRow | undefined {
              const row = super.row();
              return row && { ...row, offsetMs: 0 };
            }
          })(),
      },
    },
  },
  {
    name: "a permit's time is answered in seconds",
    rule: "P2",
    flaw: {
      permits: {
        reserve: (_, proceed) => {
          const answer = proceed();
          return { ...answer, storeTimeMs: Math.floor(answer.storeTimeMs / 1_000) };
        },
      },
    },
  },
  {
    name: "the burst is one larger than asked for",
    rule: "P3",
    flaw: {
      permits: { reserve: ({ request }, proceed) => proceed({ ...request, burst: request.burst + 1 }) },
    },
  },
  {
    name: "the burst is ignored",
    rule: "P3",
    flaw: { permits: { reserve: ({ request }, proceed) => proceed({ ...request, burst: 1 }) } },
  },
  {
    name: "a burst comes back whole an interval after it was used",
    rule: "P3",
    flaw: {
      permits: {
        reserve: ({ table, request, nowMs }, proceed) => {
          const row = table.row();
          if (
            row &&
            request.burst > 1 &&
            row.tatMs > nowMs &&
            row.tatMs <= nowMs + (request.burst - 1) * request.everyMs
          )
            table.putRow({ ...row, tatMs: nowMs });
          return proceed();
        },
      },
    },
  },
  {
    name: "intervals are rounded down to whole milliseconds",
    rule: "P3",
    flaw: {
      permits: {
        reserve: ({ request }, proceed) =>
          proceed({ ...request, everyMs: request.everyMs > 1 ? Math.floor(request.everyMs) : request.everyMs }),
      },
    },
  },
  {
    name: "time in which nobody asked is saved up",
    rule: "P3",
    flaw: {
      permits: {
        reserve: ({ table, request, nowMs }, proceed) => {
          const row = table.row();
          // The theoretical arrival time is not brought up to now: what was idle is caught up on.
          if (!row || row.tatMs >= nowMs) return proceed();
          const answer = proceed();
          const after = table.row() as PermitRow;
          table.putRow({ ...after, tatMs: row.tatMs + answer.granted * request.cost * request.everyMs });
          return answer;
        },
      },
    },
  },
  {
    name: "the cost is ignored",
    rule: "P3",
    flaw: { permits: { reserve: ({ request }, proceed) => proceed({ ...request, cost: 1 }) } },
  },
  {
    name: "a cost below one counts as one",
    rule: "P3",
    flaw: { permits: { reserve: ({ request }, proceed) => proceed({ ...request, cost: Math.max(1, request.cost) }) } },
  },
  {
    name: "the permits of a block are all due at once",
    rule: "P3",
    flaw: {
      permits: {
        reserve: (_, proceed) => ({ ...proceed(), stepMs: 0 }),
      },
    },
  },
  {
    name: "a block counts as one permit",
    rule: "P3",
    flaw: {
      permits: {
        reserve: ({ table, request }, proceed) => {
          const answer = proceed();
          const row = table.row();
          const extra = Math.max(0, answer.granted - 1) * request.cost * request.everyMs;
          if (row) table.putRow({ ...row, tatMs: row.tatMs - extra });
          return answer;
        },
      },
    },
  },
  {
    name: "the first permit of a key waits an interval",
    rule: "P3",
    flaw: {
      permits: {
        reserve: ({ table, request, nowMs }, proceed) => {
          if (!table.row()) table.putRow({ tatMs: nowMs + request.everyMs, lastMs: nowMs, offsetMs: 0 });
          return proceed();
        },
      },
    },
  },
  {
    name: "the bound is ignored",
    rule: "P4",
    flaw: { permits: { reserve: ({ request }, proceed) => proceed({ ...request, maxReserved: 1_000_000 }) } },
  },
  {
    name: "one more than the bound is reserved ahead",
    rule: "P4",
    flaw: {
      permits: { reserve: ({ request }, proceed) => proceed({ ...request, maxReserved: request.maxReserved + 1 }) },
    },
  },
  {
    name: "a block is given whole once its first permit is within the bound",
    rule: "P4",
    flaw: {
      permits: {
        reserve: ({ table, request }, proceed) => {
          const one = table.clone();
          const answer = proceed({ ...request, count: 1 });
          if (answer.granted === 0 || request.count === 1) return answer;
          table.become(one);
          return proceed({ ...request, maxReserved: 1_000_000 });
        },
      },
    },
  },
  {
    name: "more permits are given than were asked for",
    rule: "P4",
    flaw: { permits: { reserve: ({ request }, proceed) => proceed({ ...request, count: request.count + 1 }) } },
  },
  {
    name: "a refused request is told to try again at once",
    rule: "P4",
    flaw: { permits: { reserve: (_, proceed) => ({ ...proceed(), retryAfterMs: 0 }) } },
  },
  {
    name: "a refused request is told to try again a tenth too early",
    rule: "P4",
    flaw: {
      permits: {
        reserve: (_, proceed) => {
          const answer = proceed();
          return { ...answer, retryAfterMs: answer.retryAfterMs * 0.9 };
        },
      },
    },
  },
  {
    name: "a refused request is told to try again an interval later, whenever a permit is free",
    rule: "P4",
    flaw: {
      permits: {
        reserve: ({ request }, proceed) => {
          const answer = proceed();
          return { ...answer, retryAfterMs: answer.granted > 0 ? 0 : request.everyMs };
        },
      },
    },
  },
  {
    name: "a refused request takes the next instant all the same",
    rule: "P4",
    flaw: {
      permits: {
        reserve: ({ table, request }, proceed) => {
          const answer = proceed();
          const row = table.row();
          if (row && answer.granted === 0) table.putRow({ ...row, tatMs: row.tatMs + request.everyMs });
          return answer;
        },
      },
    },
  },
  {
    name: "reservedAhead counts the permits that are due as well",
    rule: "P4",
    flaw: {
      permits: {
        reserve: (_, proceed) => {
          const answer = proceed();
          return { ...answer, reservedAhead: answer.reservedAhead + 1 };
        },
      },
    },
  },
];
