import { type Bug, bug } from "../../bugs/bug.ts";
import type { Seams } from "../../bugs/seams.ts";

type Freed = ReturnType<InstanceType<Seams["permits/memory-permit-table.ts"]["MemoryPermitTable"]>["takeFreed"]>;

/** Faults of the arithmetic of permits, and of the table under it. */
export const LEDGER_BUGS: readonly Bug[] = [
  bug("end-of-line-not-checked", "the ledger takes back permits that were given out again", {
    "permits/permits.ts": {
      releasePermits:
        ({ releasePermits }) =>
        (table, release, clockMs) => {
          const row = table.row();
          const entry = table.entry(release.id);
          if (row && entry?.tatBeforeMs !== undefined && entry.granted > release.keep) {
            const endMs = entry.tatBeforeMs + entry.granted * entry.stepMs;
            table.putRow({ ...row, tatMs: Math.min(row.tatMs, endMs) });
          }
          return releasePermits(table, release, clockMs);
        },
    },
  }),
  bug("freed-twice", "the ledger gives a freed instant to two", {
    "permits/memory-permit-table.ts": {
      MemoryPermitTable: ({ MemoryPermitTable }) =>
        class extends MemoryPermitTable {
          override takeFreed(nowMs: number, widthMs: number): Freed {
            const freed = super.takeFreed(nowMs, widthMs);
            if (freed) this.addFreed(freed);
            return freed;
          }
        },
    },
  }),
  bug("freed-half-as-whole", "the ledger gives a freed instant to a permit that costs more", {
    "permits/memory-permit-table.ts": {
      MemoryPermitTable: ({ MemoryPermitTable }) =>
        class extends MemoryPermitTable {
          override takeFreed(nowMs: number): Freed {
            return super.takeFreed(nowMs, 0);
          }
        },
    },
  }),
];
