import type { FreedInstant } from "@dt/core/ledger";
import { type Mutant, permitMutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P5: what comes next. */
export const orderMutants: readonly Mutant[] = [
  permitMutant("an instant that was given back is lost", "P5", {
    table: class extends PlainPermitTable {
      override addFreed(): void {}
    },
  }),
  permitMutant("an instant that was given back is given twice", "P5", {
    table: class extends PlainPermitTable {
      readonly given = new Set<number>();
      override takeFreed(nowMs: number, widthMs: number): FreedInstant | undefined {
        const taken = super.takeFreed(nowMs, widthMs);
        if (taken && !this.given.has(taken.atMs)) {
          this.given.add(taken.atMs);
          this.addFreed(taken);
        }
        return taken;
      }
    },
  }),
  permitMutant("an instant that was given back is given when its time has passed", "P5", {
    table: class extends PlainPermitTable {
      override takeFreed(_nowMs: number, widthMs: number): FreedInstant | undefined {
        return super.takeFreed(0, widthMs);
      }
    },
  }),
  permitMutant("of the instants that were given back the latest is given first", "P5", {
    table: class extends PlainPermitTable {
      override addFreed(instant: FreedInstant): void {
        super.addFreed(instant);
        this.freed = [...this.freed].sort((a, b) => b.atMs - a.atMs);
      }
    },
  }),
  permitMutant("an instant that was given back is given to any cost", "P5", {
    table: class extends PlainPermitTable {
      override takeFreed(nowMs: number, widthMs: number): FreedInstant | undefined {
        const taken = super.takeFreed(nowMs, 0);
        return taken && { atMs: taken.atMs, widthMs: Math.max(taken.widthMs, widthMs) };
      }
    },
  }),
  permitMutant("an instant that was given back counts as one unit of whatever interval is asked for", "P5", {
    reserve: ({ table, request: { cost, everyMs } }, proceed) => {
      const leastMs = cost === 1 ? everyMs : 0;
      table.freed = table.freed.map(({ atMs, widthMs }) => ({ atMs, widthMs: Math.max(widthMs, leastMs) }));
      return proceed();
    },
  }),
  permitMutant("the rest of a larger instant that was given back is lost", "P5", {
    table: class extends PlainPermitTable {
      override takeFreed(nowMs: number, widthMs: number): FreedInstant | undefined {
        const taken = super.takeFreed(nowMs, widthMs);
        return taken && { ...taken, widthMs };
      }
    },
  }),
  permitMutant("a request that reserves nothing ahead is given an instant that is still to come", "P5", {
    reserve: ({ table, request }, proceed) =>
      proceed(request.maxReserved === 0 && table.freed.length > 0 ? { ...request, maxReserved: 1 } : request),
  }),
  permitMutant("later reservations overtake those before", "P5", {
    reserve: ({ table, request }, proceed) => {
      const answer = proceed();
      const last = [...table.entries.values()].at(-2);
      const swaps = table.entries.size % 4 === 3 && answer.granted === 1 && last && last.granted === 1;
      if (!swaps || request.burst > 1) return answer;
      // Its instant for the one before, which nobody asks for again.
      return { ...answer, firstMs: last.firstMs, earliestMs: last.earliestMs };
    },
  }),
  permitMutant("what a holder reserved and did not use stops the key until somebody gives it back", "P5", {
    reserve: ({ table, request, nowMs }, proceed) => {
      const row = table.row();
      const held = [...table.entries.values()].reduce((sum, { granted }) => sum + granted, 0);
      if (row && held >= 4 && request.maxReserved === 3)
        table.putRow({ ...row, tatMs: Math.max(row.tatMs, nowMs + 9 * request.everyMs) });
      return proceed();
    },
  }),
];
