import type { PermitEntry, PermitRow } from "@dt/core/ledger";
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
  permitMutant("releasing twice frees twice", "P6", {
    table: class extends PlainPermitTable {
      override putEntry(entry: PermitEntry): void {
        // The number that is left is not written down.
        if (!this.entries.has(entry.id)) super.putEntry(entry);
      }
    },
  }),
  permitMutant("a release gives back one permit, however many there are", "P7", {
    release: ({ table, request }, proceed) => {
      const granted = table.entry(request.id)?.granted ?? 0;
      return proceed({ ...request, keep: Math.max(request.keep, granted - 1) });
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
  permitMutant("a release of an unknown id frees the last reservation", "P7", {
    release: ({ table, request }, proceed) => {
      if (table.entries.has(request.id) || table.queue.has(request.id)) return proceed();
      const last = [...table.entries.keys()].at(-1);
      return proceed(last === undefined ? request : { id: last, keep: 0 });
    },
  }),
];
