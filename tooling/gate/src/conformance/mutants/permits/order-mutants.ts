import type { FreedInstant } from "@dt/core/ledger";
import type { Mutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P5: what comes next. */
export const orderMutants: readonly Mutant[] = [
  {
    name: "an instant that was given back is lost",
    rule: "P5",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override addFreed(): void {}
          })(),
      },
    },
  },
  {
    name: "an instant that was given back is given twice",
    rule: "P5",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            readonly given = new Set<number>();
            override takeFreed(nowMs: number, widthMs: number): FreedInstant | undefined {
              const taken = super.takeFreed(nowMs, widthMs);
              if (taken && !this.given.has(taken.atMs)) {
                this.given.add(taken.atMs);
                this.addFreed(taken);
              }
              return taken;
            }
          })(),
      },
    },
  },
  {
    name: "an instant that was given back is given when its time has passed",
    rule: "P5",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override takeFreed(_nowMs: number, widthMs: number): FreedInstant | undefined {
              return super.takeFreed(0, widthMs);
            }
          })(),
      },
    },
  },
  {
    name: "of the instants that were given back the latest is given first",
    rule: "P5",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override addFreed(instant: FreedInstant): void {
              super.addFreed(instant);
              this.freed = [...this.freed].sort((a, b) => b.atMs - a.atMs);
            }
          })(),
      },
    },
  },
  {
    name: "an instant that was given back is given to any cost",
    rule: "P5",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override takeFreed(nowMs: number, widthMs: number): FreedInstant | undefined {
              const taken = super.takeFreed(nowMs, 0);
              return taken && { atMs: taken.atMs, widthMs: Math.max(taken.widthMs, widthMs) };
            }
          })(),
      },
    },
  },
  {
    name: "an instant that was given back counts as one unit of whatever interval is asked for",
    rule: "P5",
    flaw: {
      permits: {
        reserve: ({ table, request: { cost, everyMs } }, proceed) => {
          const leastMs = cost === 1 ? everyMs : 0;
          table.freed = table.freed.map(({ atMs, widthMs }) => ({ atMs, widthMs: Math.max(widthMs, leastMs) }));
          return proceed();
        },
      },
    },
  },
  {
    name: "the rest of a larger instant that was given back is lost",
    rule: "P5",
    flaw: {
      permits: {
        table: () =>
          new (class extends PlainPermitTable {
            override takeFreed(nowMs: number, widthMs: number): FreedInstant | undefined {
              const taken = super.takeFreed(nowMs, widthMs);
              return taken && { ...taken, widthMs };
            }
          })(),
      },
    },
  },
  {
    name: "a request that reserves nothing ahead is given an instant that is still to come",
    rule: "P5",
    flaw: {
      permits: {
        reserve: ({ table, request }, proceed) =>
          proceed(request.maxReserved === 0 && table.freed.length > 0 ? { ...request, maxReserved: 1 } : request),
      },
    },
  },
  {
    name: "later reservations overtake those before",
    rule: "P5",
    flaw: {
      permits: {
        reserve: ({ table, request }, proceed) => {
          const answer = proceed();
          const last = [...table.entries.values()].at(-2);
          const swaps = table.entries.size % 4 === 3 && answer.granted === 1 && last && last.granted === 1;
          if (!swaps || request.burst > 1) return answer;
          // Its instant for the one before, which nobody asks for again.
          return { ...answer, firstMs: last.firstMs, earliestMs: last.earliestMs };
        },
      },
    },
  },
  {
    name: "what a holder reserved and did not use stops the key until somebody gives it back",
    rule: "P5",
    flaw: {
      permits: {
        reserve: ({ table, request, nowMs }, proceed) => {
          const row = table.row();
          const held = [...table.entries.values()].reduce((sum, { granted }) => sum + granted, 0);
          if (row && held >= 4 && request.maxReserved === 3)
            table.putRow({ ...row, tatMs: Math.max(row.tatMs, nowMs + 9 * request.everyMs) });
          return proceed();
        },
      },
    },
  },
];
