import type { PermitEntry, PermitRow } from "@dt/core/ledger";
import { instantOf } from "@dt/core/ledger";
import { type Mutant, permitMutant } from "../flaw.ts";
import { PlainPermitTable } from "../suite-internals.ts";

/** P6, P7: what arrives twice, what is given back. */
export const releaseMutants: readonly Mutant[] = [
  permitMutant("a repeat reserves again", "P6", {
    table: class extends PlainPermitTable {
      asking = false;
      override entry(id: string): PermitEntry | undefined {
        return this.asking ? undefined : super.entry(id);
      }
    },
    reserve: ({ table }, proceed) => {
      const flagged = table as PlainPermitTable & { asking: boolean };
      flagged.asking = true;
      try {
        return proceed();
      } finally {
        flagged.asking = false;
      }
    },
  }),
  permitMutant("a repeat is answered from now on instead of the instants it was given", "P6", {
    reserve: ({ table, request, nowMs }, proceed) => {
      const known = table.entries.has(request.id);
      const answer = proceed();
      return known ? { ...answer, firstMs: answer.firstMs + request.everyMs, earliestMs: nowMs } : answer;
    },
  }),
  permitMutant("a reservation is forgotten with its last instant", "P6", {
    reserve: ({ request }, proceed) => proceed({ ...request, keepMs: 0 }),
  }),
  permitMutant("nothing is ever forgotten", "P6", {
    table: class extends PlainPermitTable {
      override forgetEntries(): void {}
    },
  }),
  permitMutant("releasing twice frees twice", "P6", {
    table: class extends PlainPermitTable {
      override putEntry(entry: PermitEntry): void {
        // The number that is left is not written down.
        if (!this.entries.has(entry.id)) super.putEntry(entry);
      }
    },
  }),
  permitMutant("a repeat of what was given back reserves again", "P6", {
    release: ({ table, request }, proceed) => {
      const freed = proceed();
      if (request.keep === 0) table.entries.delete(request.id);
      return freed;
    },
  }),
  permitMutant("a release gives back the whole block", "P7", {
    release: ({ request }, proceed) => proceed({ ...request, keep: 0 }),
  }),
  permitMutant("a release gives back one permit, however many there are", "P7", {
    release: ({ table, request }, proceed) => {
      const granted = table.entry(request.id)?.granted ?? 0;
      return proceed({ ...request, keep: Math.max(request.keep, granted - 1) });
    },
  }),
  permitMutant("a release gives back the beginning of a block instead of its end", "P7", {
    release: ({ table, request }, proceed) => {
      const entry = table.entry(request.id);
      if (!entry || request.keep === 0 || request.keep >= entry.granted) return proceed();
      for (let i = 0; i < entry.granted - request.keep; i++)
        table.addFreed({ atMs: instantOf(entry, i), widthMs: entry.stepMs });
      table.putEntry({ ...entry, granted: request.keep });
      return true;
    },
  }),
  permitMutant("a release of the last reservation leaves its place taken", "P7", {
    release: ({ table }, proceed) => {
      const before = table.row();
      const freed = proceed();
      const after = table.row();
      if (before && after && after.tatMs < before.tatMs) table.putRow({ ...after, tatMs: before.tatMs } as PermitRow);
      return freed;
    },
  }),
  permitMutant("a release that keeps more than there are adds to the reservation", "P7", {
    release: ({ table, request }, proceed) => {
      const entry = table.entry(request.id);
      if (entry && request.keep > entry.granted) table.putEntry({ ...entry, granted: request.keep });
      return proceed();
    },
  }),
  permitMutant("a release of an unknown id frees the last reservation", "P7", {
    release: ({ table, request }, proceed) => {
      if (table.entries.has(request.id) || table.line.has(request.id)) return proceed();
      const last = [...table.entries.keys()].at(-1);
      return proceed(last === undefined ? request : { id: last, keep: 0 });
    },
  }),
  permitMutant("a release of an unknown id is an error", "P7", {
    release: ({ table, request }, proceed) => {
      if (!table.entries.has(request.id) && !table.line.has(request.id)) throw new Error("no such reservation");
      return proceed();
    },
  }),
];
